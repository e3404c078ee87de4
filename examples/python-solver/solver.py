"""A complete solver for two EVM chains: quotes, accepts, locks, redeems, refunds. `python3 solver.py config.json`; see README.md."""
import json
import re
import sys
import threading
import time
import traceback
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from evm import Account, Chain, RpcError
from pricing import Asset, NoPrice, Prices
from signatures import Signer, Unauthorized, Verifier
from store import Store
from worker import Worker, swap_id

STATUS = {"unauthorized": 401, "not_found": 404, "conflict": 409, "internal": 500, "chain_unavailable": 503}
MAX_BODY = 512 * 1024
MAX_OPEN_ORDERS = 1000
CLOCK_TOLERANCE = 120
CHANGES_SECONDS = 20
HASH = r"[0-9a-f]{64}"
ADDRESS = r"0x[0-9a-f]{40}"


class Refusal(Exception):
    def __init__(self, code: str, message: str, **details):
        super().__init__(message)
        self.body = {"code": code, "message": message, **details}
        self.status = STATUS.get(code, 400)


def parse(raw: bytes) -> dict:
    try:
        return part({"body": json.loads(raw)}, "body")
    except ValueError:
        raise Refusal("bad_request", "the body must be JSON") from None


def text(body: dict, name: str, pattern: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or re.fullmatch(pattern, value) is None:
        raise Refusal("bad_request", f"{name} must be a text of the form {pattern}")
    return value


def part(body: dict, name: str) -> dict:
    value = body.get(name)
    if not isinstance(value, dict):
        raise Refusal("bad_request", f"{name} must be an object")
    return value


def amount(body: dict, name: str) -> int:
    return int(text(body, name, r"[1-9][0-9]{0,77}"))


def number(body: dict, name: str, most: int) -> int:
    value = body.get(name)
    if type(value) is not int or not 0 <= value <= most:
        raise Refusal("bad_request", f"{name} must be a whole number from 0 to {most}")
    return value


def quoted_terms(service: str, source: Asset, destination: Asset, sent: int, fee_bips: int) -> str:
    """The fields that an order and a quote must share for the quote to cover the order."""
    return json.dumps([service, source.name, destination.name, str(sent), fee_bips])


class Solver:
    def __init__(self, config: dict, folder: Path):
        def secret(name: str) -> bytes:
            return bytes.fromhex((folder / config[name]).read_text().strip().removeprefix("0x"))

        self.id = config["solver_id"]
        self.signer = Signer(secret("signing_key_file"))
        self.verifier = Verifier([(service["id"], service["public_key"]) for service in config["services"]], self.signer.public_key)
        self.account = Account(secret("private_key_file"))
        self._config = config
        self._chains = {name: Chain(name, settings, self.account) for name, settings in config["chains"].items()}
        self._assets = {
            name: Asset(name, name.split(":")[0], asset["htlc"].lower(), asset["token"], asset["decimals"], asset["symbol"])
            for name, asset in config["assets"].items()
        }
        self._prices = Prices(config["exchange_url"], {asset.symbol for asset in self._assets.values()})
        self._store = Store(str(folder / config["database"]))
        self.worker = Worker(self._store, self._chains, self._assets, self._prices, self.account, config["spread_bips"], config["tolerance_bips"])

    def route(self, method: str, path: str):
        """The function for a call: it gets the body, a check that the caller still waits, and the name of the service that calls."""
        fixed = {
            ("POST", "/v1/quote"): self._quote,
            ("POST", "/v1/orders"): self._accept,
            ("GET", "/v1/liquidity"): self._liquidity,
            ("GET", "/v1/health"): lambda body, in_time, service: {},
            ("POST", "/v1/changes"): self._take_hint,
            ("GET", "/v1/changes"): self._give_hint,
        }
        order = re.fullmatch(rf"/v1/orders/({HASH})/(fill|instant-refund)", path)
        if order is not None and method == "POST":
            call = self._fill if order.group(2) == "fill" else self._instant_refund
            return lambda body, in_time, service: call(self._order(order.group(1), service), body)
        if (method, path) not in fixed:
            raise Refusal("not_found", "this solver does not know this call")
        return fixed[method, path]

    def _pair(self, source, destination):
        pair = [self._assets.get(name) if isinstance(name, str) else None for name in (source, destination)]
        if None in pair or pair[0].chain == pair[1].chain:
            raise Refusal("unsupported_pair", "this solver has no price for this pair")
        return pair

    def _quote(self, body, in_time, service):
        source, destination = self._pair(body.get("from"), body.get("to"))
        fee = self._config["spread_bips"] + number(body, "extra_fee_bips", 5000)
        if ("from_amount" in body) == ("to_amount" in body):
            raise Refusal("bad_request", "exactly one of from_amount and to_amount must be given")
        if "from_amount" in body:
            sent = amount(body, "from_amount")
            received = self._prices.amount_out(source, destination, sent, fee)
        else:
            received = amount(body, "to_amount")
            sent = self._prices.amount_in(source, destination, received, fee)
        if received == 0:
            raise Refusal("amount_out_of_range", "the amount is too small")
        quote_id, now = str(uuid.uuid4()), int(time.time())
        if body.get("indicative") is not True:
            self._assert_liquidity(destination, received)
            terms = quoted_terms(service, source, destination, sent, fee)
            self._store.add_quote(quote_id, terms, received, now, now + self._config["quote_seconds"])
        return {
            "quote_id": quote_id,
            "source_amount": str(sent),
            "destination_amount": str(received),
            "fee_bips": fee,
            "fixed_fee_usd_micros": "0",
            "estimated_time": 5,
            "expires_at": now + self._config["quote_seconds"],
        }

    def _assert_liquidity(self, asset: Asset, needed: int):
        if self.worker.available(asset) < needed:
            raise Refusal("insufficient_liquidity", f"cannot pay {needed} of {asset.name}")

    def _accept(self, body, in_time, service):
        order_id, secret_hash = text(body, "order_id", HASH), text(body, "secret_hash", HASH)
        given, wanted = part(body, "source"), part(body, "destination")
        known = self._store.order(order_id)
        if known is not None and known["terms"]["service"] == service:
            return self._repeat(known, secret_hash, given, wanted)
        source, destination = self._pair(given.get("asset"), wanted.get("asset"))
        if self._store.count_open() >= MAX_OPEN_ORDERS:
            raise Refusal("chain_unavailable", "too many open orders", retry_after=5)
        deadline = number(body, "deadline", 10**11)
        if abs(number(body, "created_at", 10**11) - time.time()) > CLOCK_TOLERANCE or deadline > time.time() + 86_400:
            raise Refusal("bad_request", "created_at or deadline is too far away")
        sent, asked = amount(given, "amount"), amount(wanted, "amount")
        fees = number(body, "extra_fee_bips", 5000)
        price = self._offer(body, quoted_terms(service, source, destination, sent, self._config["spread_bips"] + fees), source, destination, asked)
        # What is asked is the least: more is paid, unless the user says otherwise.
        pays = min(price, asked) if body.get("accept_worse") is True else price
        self._assert_liquidity(destination, pays)
        user, recipient = text(given, "initiator", ADDRESS), text(wanted, "redeemer", ADDRESS)
        if self.account.address in (user, recipient):
            raise Refusal("invalid_address", "the user and the solver must be different parties")
        terms = {
            "service": service,
            "source_asset": source.name,
            "destination_asset": destination.name,
            "deadline": deadline,
            "price_expires_at": min(deadline, int(time.time()) + self._config["price_hold_seconds"]),
            "extra_fee_bips": fees,
            "source": self._leg(user, self.account.address, self._chains[source.chain].source_timelock, sent, secret_hash),
            "destination": self._leg(self.account.address, recipient, self._chains[destination.chain].destination_timelock, pays, secret_hash),
        }
        in_time()
        if not self._store.add_order(order_id, secret_hash, terms):
            raise Refusal("conflict", "order_id or secret_hash was used before")
        return self._acceptance(terms)

    def _offer(self, body: dict, terms: str, source: Asset, destination: Asset, asked: int) -> int:
        """The quoted amount: a quote is a promise for one order. Without an open quote, the price of this moment."""
        quote_id = text(body, "quote_id", r".{1,100}") if "quote_id" in body else None
        quoted = self._store.take_quote(terms, asked, body["order_id"], quote_id, int(time.time()))
        if quoted is not None:
            return quoted
        if quote_id is not None:
            raise Refusal("no_quotes", f"quote_id is not an open quote for {asked} of {destination.name} or more")
        _, _, _, sent, fee = json.loads(terms)
        price = self._prices.amount_out(source, destination, int(sent), fee)
        if price < asked - asked * number(body, "slippage_bips", 500) // 10_000 or price == 0:
            # Another user was given the same quote and came first: no promise is broken.
            code = "conflict" if self._store.was_quoted(terms, asked, int(time.time())) else "price_moved"
            raise Refusal(code, f"the price is now {price} of {destination.name}", price_now=str(price))
        return price

    @staticmethod
    def _leg(initiator: str, redeemer: str, timelock: int, value: int, secret_hash: str) -> dict:
        return {"initiator": initiator, "redeemer": redeemer, "timelock": timelock, "amount": str(value), "secret_hash": secret_hash}

    def _repeat(self, known: dict, secret_hash: str, given: dict, wanted: dict):
        terms = known["terms"]
        asked = (secret_hash, given.get("asset"), given.get("amount"), given.get("initiator"), wanted.get("asset"), wanted.get("redeemer"))
        source, destination = terms["source"], terms["destination"]
        stored = (known["secret_hash"], terms["source_asset"], source["amount"], source["initiator"], terms["destination_asset"], destination["redeemer"])
        if asked != stored:
            raise Refusal("conflict", "this order exists with other terms")
        return self._acceptance(terms)

    @staticmethod
    def _acceptance(terms: dict):
        source, destination = terms["source"], terms["destination"]
        return {
            "source": {"redeemer": source["redeemer"], "timelock": str(source["timelock"])},
            "destination": {"initiator": destination["initiator"], "timelock": str(destination["timelock"]), "amount": destination["amount"]},
            "price_expires_at": terms["price_expires_at"],
        }

    def _order(self, order_id: str, service: str) -> dict:
        """An order exists only for the service that made it: another one must not decide anything about it."""
        order = self._store.order(order_id)
        if order is None or order["terms"]["service"] != service:
            raise Refusal("not_found", f"there is no order {order_id}")
        return order

    @staticmethod
    def _fill(order: dict, body: dict):
        answer = "declined" if order["decision"] == "refund" else "wait"
        return {"answer": answer, "signature": None, "reason": order["reason"]}

    def _instant_refund(self, order: dict, body: dict):
        """After this signature the user may have the source back at once: so the destination must never be locked."""
        source = self._assets[order["terms"]["source_asset"]]
        chain = self._chains[source.chain]
        swap = swap_id(chain, source.htlc, order["terms"]["source"])
        refunds = body.get("refunds")
        if not isinstance(refunds, list) or len(refunds) != 1 or part({"refund": refunds[0]}, "refund").get("deposit") != swap:
            raise Refusal("bad_request", f"expected one refund, of {swap}")
        if chain.initiated_at(source.htlc, swap) == 0:
            raise Refusal("conflict", "the solver sees no deposit to this order")
        if not self._store.decide(order["id"], "refund", "a refund was asked for") and not self.worker.is_refunded_for_good(order):
            raise Refusal("conflict", "the solver pays for this order")
        return {"answer": chain.consent_to_refund(source.htlc, source.token is not None, swap)}

    def _liquidity(self, body, in_time, service):
        def holding(asset: Asset):
            balance = self._chains[asset.chain].balance(asset.token)
            available = min(self.worker.available(asset), balance)
            return {"asset": asset.name, "address": self.account.address, "balance": str(balance), "available": str(available)}

        return {"holdings": [holding(asset) for asset in self._assets.values()]}

    def _take_hint(self, body, in_time, service):
        self.worker.wake()
        return {}

    @staticmethod
    def _give_hint(body, in_time, service):
        """This solver sends no hints: the service polls."""
        time.sleep(CHANGES_SECONDS)
        return {"next": 0, "chains": []}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60
    solver: Solver

    def do_GET(self):
        self._answer(b"")

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self.close_connection = True
            self._send(400, {"code": "bad_request", "message": f"content-length must be a number up to {MAX_BODY}"}, None)
            return
        self._answer(self.rfile.read(int(length)))

    def _answer(self, raw: bytes):
        arrived = time.monotonic()
        signature = None
        try:
            service, waits, signature = self.solver.verifier.verify(self.command, self.path, self.headers, raw)

            def in_time():
                if time.monotonic() - arrived > waits:
                    raise Refusal("chain_unavailable", "the answer would be late")

            call = self.solver.route(self.command, self.path.partition("?")[0])
            body = parse(raw) if raw else {}
            in_time()
            status, answer = 200, {"solver_id": self.solver.id, **call(body, in_time, service)}
        except Unauthorized as error:
            signature, status, answer = error.signature, 401, {"code": "unauthorized", "message": str(error)}
        except Refusal as refusal:
            status, answer = refusal.status, refusal.body
        except NoPrice as error:
            status, answer = 400, {"code": "no_quotes", "message": str(error)}
        except (OSError, RpcError) as error:
            print(f"{self.path}: {type(error).__name__}: {error}", flush=True)
            status, answer = 503, {"code": "chain_unavailable", "message": "a chain is not reachable"}
        except Exception:
            traceback.print_exc()
            status, answer = 500, {"code": "internal", "message": "unexpected error; details are in the log of the solver"}
        self._send(status, answer, signature)

    def _send(self, status: int, answer: dict, signature):
        body = json.dumps(answer).encode()
        headers = {} if signature is None else self.solver.signer.answer_headers(status, body, signature)
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """A line for each request would hide the other lines."""


def main():
    path = Path(sys.argv[1])
    config = json.loads(path.read_text())
    Handler.solver = Solver(config, path.parent)
    threading.Thread(target=Handler.solver.worker.run, daemon=True).start()
    server = ThreadingHTTPServer((config["listen"]["host"], config["listen"]["port"]), Handler)
    print(f"{config['solver_id']} pays from {Handler.solver.account.address}; its public key is {Handler.solver.signer.public_key}", flush=True)
    print(f"listening on port {server.server_address[1]}", flush=True)
    server.serve_forever()


main()
