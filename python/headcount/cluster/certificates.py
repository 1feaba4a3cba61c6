"""Certificates of one cluster, from an authority that lives as long as they do.

Its key is never written: nobody can make another certificate for the cluster.
"""

import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

EARLIER = dt.timedelta(hours=1)
"""Certificates are valid from some time before they are made: machines' clocks differ."""
ALWAYS = ("127.0.0.1", "localhost")
"""Processes on one machine also reach each other by these."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, as PEM."""

    text: str
    key: str


class Authority:
    """Signs the certificates of one cluster."""

    def __init__(self, cluster: str, days: int, now: dt.datetime) -> None:
        """Generate a key; certificates are valid for this many days from `now` on."""
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(f"Headcount cluster {cluster}")
        self._from, self.until = now - EARLIER, now + dt.timedelta(days=days)
        builder = self._builder(self._name, self._key.public_key())
        builder = builder.add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.text = _pem(builder.sign(self._key, SHA256()))

    def certificate(self, machine: str, names: Sequence[str]) -> Certificate:
        """A certificate for a machine, with all the IP addresses and names that it is reached by.

        Both ends of a connection present theirs.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        uses = x509.ExtendedKeyUsage(
            [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        )
        alternatives = x509.SubjectAlternativeName(
            [_alternative(one) for one in dict.fromkeys([*names, *ALWAYS]) if one.isascii() and one]
        )
        builder = (
            self._builder(_name(machine), key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(uses, critical=False)
            .add_extension(alternatives, critical=False)
        )
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return Certificate(_pem(builder.sign(self._key, SHA256())), private.decode("ascii"))

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._from)
            .not_valid_after(self.until)
        )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _alternative(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode("ascii")
