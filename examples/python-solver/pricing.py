"""Live prices of an exchange, and amounts from them: whole numbers only, rounded in the solver's favour."""
import json
import threading
import time
import urllib.request
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

FRESH_SECONDS = 1
TIMEOUT_SECONDS = 2


class NoPrice(Exception):
    """The exchange gives no price, so nothing is quoted and nothing is locked."""


@dataclass(frozen=True)
class Asset:
    name: str
    chain: str
    htlc: str
    token: str | None
    decimals: int
    symbol: str
    """Its market against the US dollar, as the exchange names it."""


class Prices:
    """The middle of bid and ask, by the API of Kraken: GET /0/public/Ticker?pair=…"""

    def __init__(self, url: str, symbols: set[str]):
        self._url = f"{url}/0/public/Ticker?pair={','.join(sorted(symbols))}"
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._usd: dict[str, Decimal] = {}

    def amount_out(self, source: Asset, destination: Asset, amount: int, fee_bips: int) -> int:
        sold, bought = self._both(source, destination)
        top = amount * sold * 10**destination.decimals * (10_000 - fee_bips)
        return top // (bought * 10**source.decimals * 10_000)

    def amount_in(self, source: Asset, destination: Asset, amount: int, fee_bips: int) -> int:
        sold, bought = self._both(source, destination)
        top = amount * bought * 10**source.decimals * 10_000
        return -(-top // (sold * 10**destination.decimals * (10_000 - fee_bips)))

    def _both(self, source: Asset, destination: Asset) -> tuple[int, int]:
        """Hundred-millionths of a US dollar for one whole unit of each, from one answer."""
        with self._lock:
            if time.monotonic() - self._read_at > FRESH_SECONDS:
                self._usd, self._read_at = self._read(), time.monotonic()
            prices = [int(self._usd[asset.symbol] * 10**8) if asset.symbol in self._usd else 0 for asset in (source, destination)]
        if min(prices) <= 0:
            raise NoPrice(f"the exchange has no price of {source.name} or {destination.name}")
        return prices[0], prices[1]

    def _read(self) -> dict[str, Decimal]:
        try:
            with urllib.request.urlopen(self._url, timeout=TIMEOUT_SECONDS) as response:
                markets = json.load(response)["result"].items()
            return {symbol: (Decimal(market["a"][0]) + Decimal(market["b"][0])) / 2 for symbol, market in markets}
        except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, InvalidOperation) as error:
            raise NoPrice(f"the exchange gives no prices: {type(error).__name__}") from None
