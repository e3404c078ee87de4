"""BTC -> USDC with Python's standard library: quote, create an order, pay the deposit, wait until the user is paid."""
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

with open(os.environ.get("TANDEM_LOCAL_JSON", ".tandem/local.json"), encoding="utf-8") as file:
    LOCAL = json.load(file)

SOURCE = "bitcoin_regtest:btc"
DESTINATION = "arbitrum_localnet:usdc"
RECIPIENT = "0x000000000000000000000000000000000000dEaD"
TIMEOUT_SECONDS = 120


def call(url, body=None):
    """Answers the `result` of the envelope; a refusal becomes an error with the service's own words."""
    headers = {"service-app-id": LOCAL["app_id"], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as response:
            return json.load(response).get("result")
    except urllib.error.HTTPError as refusal:
        raise SystemExit(f"{url}: {refusal.code} {refusal.read().decode()}") from refusal


def main():
    api = LOCAL["base_url"]
    # Amounts are decimal strings in the smallest unit: never floats.
    query = urllib.parse.urlencode({"from": SOURCE, "to": DESTINATION, "from_amount": "1000000"})
    quote = call(f"{api}/quote?{query}")[0]
    print(f"quote: {quote['source']['display']} BTC for {quote['destination']['display']} USDC")

    order = call(
        f"{api}/orders",
        {
            "source": {"asset": SOURCE, "amount": quote["source"]["amount"]},
            "destination": {"asset": DESTINATION, "amount": quote["destination"]["amount"], "owner": RECIPIENT},
        },
    )
    print(f"order {order['order_id']}: deposit {order['amount']} sats to {order['to']}")

    # The local faucet plays the user's wallet.
    call(LOCAL["faucet_url"], {"asset": SOURCE, "address": order["to"], "amount": order["amount"]})

    end = time.monotonic() + TIMEOUT_SECONDS
    status = None
    while time.monotonic() < end:
        record = call(f"{api}/orders/{order['order_id']}")
        if record["status"] != status:
            status = record["status"]
            print(status)
        if record["destination_swap"]["redeem_tx_hash"]:
            print(f"paid in {record['destination_swap']['redeem_tx_hash']}")
            return
        time.sleep(0.25)
    sys.exit(f"order {order['order_id']} was not paid within {TIMEOUT_SECONDS} s: it is {status}")


main()
