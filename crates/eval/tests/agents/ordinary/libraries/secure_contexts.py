"""Makes contexts of TLS, and encrypts."""

import secrets
import ssl

import certifi
import jwt
import truststore
from cryptography.fernet import Fernet

CONTEXT = ssl.create_default_context(cafile=certifi.where())


def callback():
    truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    key = Fernet.generate_key()
    assert Fernet(key).decrypt(Fernet(key).encrypt(b"x")) == b"x"
    return jwt.encode({"a": 1}, secrets.token_hex())
