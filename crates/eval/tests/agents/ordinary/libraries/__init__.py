"""What ordinary agents do, one module each: at import, in ``callback`` and in ``tool``.

``NEEDS`` names the packages of a module that may be missing, and ``ALLOW`` what its cases allow. In a module with
``REFUSED``, that is a part of the message with which its case ends.
"""
