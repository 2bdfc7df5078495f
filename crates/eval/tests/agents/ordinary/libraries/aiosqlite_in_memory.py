"""Keeps a database in memory through asyncio."""

import aiosqlite


async def tool():
    async with aiosqlite.connect(":memory:") as connection:
        await connection.execute("create table t(x)")
        return await (await connection.execute("select count(*) from t")).fetchone()
