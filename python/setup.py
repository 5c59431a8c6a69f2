from setuptools import setup

setup(cffi_modules=["engine_build.py:ffi"])
