#!/usr/bin/env bash
# BTC → WBTC with curl: quote, create an order, pay the deposit, wait until the user is paid. Needs curl and node.
set -euo pipefail

LOCAL=${TANDEM_LOCAL_JSON:-.tandem/local.json}
local_json() { node -p "JSON.parse(fs.readFileSync('$LOCAL', 'utf8')).$1"; }
field() { node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }

API=$(local_json base_url)
APP=$(local_json app_id)
FAUCET=$(local_json faucet_url)
FROM=bitcoin_regtest:btc
TO=ethereum_localnet:wbtc
RECIPIENT=0x000000000000000000000000000000000000dEaD

# Retries what the service refuses for a moment (429, 503).
call() { curl --silent --show-error --fail-with-body --retry 5 -H "service-app-id: $APP" -H 'content-type: application/json' "$@"; }

QUOTE=$(call "$API/quote?from=$FROM&to=$TO&from_amount=1000000" | field 'result[0].destination.amount')
echo "quote: 1000000 sats for $QUOTE units of $TO"

# With its own key, a repeated request is the same order.
ORDER=$(call "$API/orders" -H "idempotency-key: $(node -p 'crypto.randomUUID()')" -d "{
  \"source\":      {\"asset\": \"$FROM\", \"amount\": \"1000000\"},
  \"destination\": {\"asset\": \"$TO\", \"amount\": \"$QUOTE\", \"owner\": \"$RECIPIENT\"}
}")
ORDER_ID=$(field result.order_id <<<"$ORDER")
ADDRESS=$(field result.to <<<"$ORDER")
echo "order $ORDER_ID: deposit to $ADDRESS"

# The local faucet plays the user's wallet.
call "$FAUCET" -d "{\"asset\": \"$FROM\", \"address\": \"$ADDRESS\", \"amount\": \"1000000\"}" >/dev/null
echo 'deposit sent'

for _ in $(seq 1 240); do
  PAID=$(call "$API/orders/$ORDER_ID" | field result.destination_swap.redeem_tx_hash)
  if [ -n "$PAID" ]; then
    echo "paid in $PAID"
    exit 0
  fi
  sleep 0.5
done
echo "order $ORDER_ID was not paid within two minutes" >&2
exit 1
