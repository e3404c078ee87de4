"""The signatures of the solver protocol: RFC 9421 with ed25519 and RFC 9530. docs/solver-protocol.md has the same in words."""
import base64
import hashlib
import re
import threading
import time

from ecdsa import Ed25519, SigningKey, VerifyingKey
from ecdsa.keys import BadSignatureError

TAG = "tandem-solver-v1"
REQUEST = '("@method" "@path" "@query" "content-digest" "tandem-recipient")'
ANSWER = '("@status" "content-digest" "signature";req)'
CLOCK_TOLERANCE = 30
MAX_NONCES = 100_000
_PARAMETER = re.compile(r';(created|expires|nonce|keyid|tag|alg)=(?:([0-9]{1,11})|"([A-Za-z0-9_-]{1,64})")')
_SIGNATURE = re.compile(r"tandem=:([A-Za-z0-9+/]{86}==):")


class Unauthorized(Exception):
    """The request is refused. `signature` is the request's own, if the caller is known, so that the refusal can be signed."""

    def __init__(self, message, signature=None):
        super().__init__(message)
        self.signature = signature


def digest(body: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


class Signer:
    def __init__(self, seed: bytes):
        self._key = SigningKey.from_string(seed, curve=Ed25519)
        self.public_key = self._key.verifying_key.to_string().hex()

    def answer_headers(self, status: int, body: bytes, request_signature: str) -> dict:
        params = f'{ANSWER};created={int(time.time())};keyid="{self.public_key}";tag="{TAG}"'
        base = "\n".join([
            f'"@status": {status}',
            f'"content-digest": {digest(body)}',
            f'"signature";req: {request_signature}',
            f'"@signature-params": {params}',
        ])
        signature = base64.b64encode(self._key.sign(base.encode())).decode()
        return {"content-digest": digest(body), "signature-input": f"tandem={params}", "signature": f"tandem=:{signature}:"}


class Verifier:
    """Knows the services that may call, and the nonces that they have used."""

    def __init__(self, services, recipient: str):
        self._keys = {key: (name, VerifyingKey.from_string(bytes.fromhex(key), curve=Ed25519)) for name, key in services}
        self._recipient = recipient
        self._nonces = {}
        self._lock = threading.Lock()
        self._started = int(time.time())

    def verify(self, method: str, target: str, headers, body: bytes):
        """Returns the name of the service, the seconds that it waits for the answer, and the signature that the answer must cover."""
        given = {name: headers.get(name, "") for name in ("signature-input", "signature", "content-digest", "tandem-recipient")}
        params = self._parse(given["signature-input"])
        match = _SIGNATURE.fullmatch(given["signature"])
        if params is None or match is None:
            raise Unauthorized("the request is not signed in the form of the protocol")
        if params["keyid"] not in self._keys:
            raise Unauthorized(f"the key {params['keyid']} is not known here")
        if given["tandem-recipient"] != self._recipient:
            raise Unauthorized(f"the request is for another solver: our public key is {self._recipient}")
        service, key = self._keys[params["keyid"]]
        path, mark, query = target.partition("?")
        base = "\n".join([
            f'"@method": {method}',
            f'"@path": {path}',
            f'"@query": {mark or "?"}{query}',
            f'"content-digest": {given["content-digest"]}',
            f'"tandem-recipient": {self._recipient}',
            f'"@signature-params": {given["signature-input"][len("tandem="):]}',
        ])
        try:
            key.verify(base64.b64decode(match.group(1)), base.encode())
        except BadSignatureError:
            raise Unauthorized("the signature does not fit the request") from None
        if given["content-digest"] != digest(body):
            raise Unauthorized("content-digest is not the one of the body", given["signature"])
        self._use(params, given["signature"])
        return service, params["expires"] - params["created"], given["signature"]

    def _use(self, params, signature):
        now = int(time.time())
        if abs(params["created"] - now) > CLOCK_TOLERANCE:
            raise Unauthorized(f"the clocks differ by more than {CLOCK_TOLERANCE} s", signature)
        if params["created"] < self._started:
            raise Unauthorized("the request was signed before this process was started", signature)
        with self._lock:
            for nonce in [nonce for nonce, created in self._nonces.items() if created < now - CLOCK_TOLERANCE]:
                del self._nonces[nonce]
            if (params["keyid"], params["nonce"]) in self._nonces or len(self._nonces) >= MAX_NONCES:
                raise Unauthorized("the nonce was used before, or there are too many requests", signature)
            self._nonces[(params["keyid"], params["nonce"])] = params["created"]

    @staticmethod
    def _parse(text: str):
        head = f"tandem={REQUEST}"
        if not text.startswith(head) or len(text) > 1000:
            return None
        found, position = {}, len(head)
        while position < len(text):
            match = _PARAMETER.match(text, position)
            if match is None or match.group(1) in found:
                return None
            found[match.group(1)] = int(match.group(2)) if match.group(2) is not None else match.group(3)
            position = match.end()
        integers = all(isinstance(found.get(name), int) for name in ("created", "expires"))
        texts = all(isinstance(found.get(name), str) for name in ("nonce", "keyid"))
        if not integers or not texts or len(found["nonce"]) < 16 or found.get("tag") != TAG or found.get("alg", "ed25519") != "ed25519":
            return None
        return found
