"""Has tables of SQLAlchemy in memory, also through asyncio."""

NEEDS = ["sqlalchemy", "greenlet"]

import sqlalchemy
from sqlalchemy.ext.asyncio import create_async_engine

ENGINE = sqlalchemy.create_engine("sqlite://")


async def tool():
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    async with engine.connect() as connection:
        await connection.execute(sqlalchemy.text("select 1"))
    await engine.dispose()
    with ENGINE.begin() as connection:
        return connection.execute(sqlalchemy.text("select 1")).scalar()
