"""Has settings of a file and the environment."""

import pathlib

from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_file=pathlib.Path(__file__).parent / "data" / "settings.env", extra="ignore"
    )
    greeting: str = ""


SETTINGS = Settings()


def callback():
    return SETTINGS.greeting
