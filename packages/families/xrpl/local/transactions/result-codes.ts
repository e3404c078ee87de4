// Lists the results of transactions, with their numbers and texts (rippled, TER.h and TER.cpp).

const codes = {
  tesSUCCESS: [0, 'The transaction was applied. Only final in a validated ledger.'],
  tecUNFUNDED_PAYMENT: [104, 'Insufficient XRP balance to send.'],
  tecNO_DST: [124, 'Destination does not exist. Too little XRP sent to create it.'],
  tecNO_DST_INSUF_XRP: [125, 'Destination does not exist. Too little XRP sent to create it.'],
  tecUNFUNDED: [129, 'Not enough XRP to satisfy the reserve requirement.'],
  tecNO_ALTERNATIVE_KEY: [130, 'The operation would remove the ability to sign transactions with the account.'],
  tecINSUFF_FEE: [136, 'Insufficient balance to pay fee.'],
  tecNO_TARGET: [138, 'Target account does not exist.'],
  tecNO_PERMISSION: [139, 'No permission to perform requested operation.'],
  tecNO_ENTRY: [140, 'No matching entry found.'],
  tecINSUFFICIENT_RESERVE: [141, 'Insufficient reserve to complete requested operation.'],
  tecNEED_MASTER_KEY: [142, 'The operation requires the use of the Master Key.'],
  tecDST_TAG_NEEDED: [143, 'A destination tag is required.'],
  tecCRYPTOCONDITION_ERROR: [146, 'Malformed, invalid, or mismatched conditional or fulfillment.'],
  tecDUPLICATE: [149, 'Ledger object already exists.'],
  tecDIR_FULL: [121, 'Can not add entry to full directory.'],
  terINSUF_FEE_B: [-97, 'Account balance can not pay fee.'],
  terNO_ACCOUNT: [-96, 'The source account does not exist.'],
  terPRE_SEQ: [-92, 'Missing/inapplicable prior transaction.'],
  terQUEUED: [-89, 'Held until escalated fee drops.'],
  terPRE_TICKET: [-88, 'Ticket is not yet in ledger.'],
  tefBAD_AUTH: [-196, "Transaction's public key is not authorized."],
  tefPAST_SEQ: [-190, 'This sequence number has already passed.'],
  tefWRONG_PRIOR: [-189, 'This previous transaction does not match.'],
  tefMASTER_DISABLED: [-188, 'Master key is disabled.'],
  tefMAX_LEDGER: [-187, 'Ledger sequence too high.'],
  tefNOT_MULTI_SIGNING: [-184, 'Account has no appropriate list of multi-signers.'],
  tefNO_TICKET: [-180, 'Ticket is not in ledger.'],
  telINSUF_FEE_P: [-394, 'Fee insufficient.'],
  telCAN_NOT_QUEUE: [-392, 'Can not queue at this time.'],
  telCAN_NOT_QUEUE_FEE: [-388, 'Can not queue at this time: fee insufficient to replace queued transaction.'],
  telCAN_NOT_QUEUE_FULL: [-387, 'Can not queue at this time: queue is full.'],
  telWRONG_NETWORK: [-386, 'Transaction specifies a Network ID that differs from that of the local node.'],
  telREQUIRES_NETWORK_ID: [-385, 'Transactions submitted to this node/network must include a correct NetworkID field.'],
  telNETWORK_ID_MAKES_TX_NON_CANONICAL: [-384, 'Transactions submitted to this node/network must NOT include a NetworkID field.'],
  temMALFORMED: [-299, 'Malformed transaction.'],
  temBAD_AMOUNT: [-298, 'Malformed: Bad amount.'],
  temBAD_EXPIRATION: [-296, 'Malformed: Bad expiration.'],
  temBAD_FEE: [-295, 'Invalid fee, negative or not XRP.'],
  temBAD_REGKEY: [-289, 'Malformed: Regular key cannot be same as master key.'],
  temBAD_SEND_XRP_MAX: [-287, 'Malformed: Send max is not allowed for XRP to XRP.'],
  temBAD_SEND_XRP_NO_DIRECT: [-286, 'Malformed: No Ripple direct is not allowed for XRP to XRP.'],
  temBAD_SEND_XRP_PARTIAL: [-285, 'Malformed: Partial payment is not allowed for XRP to XRP.'],
  temBAD_SEND_XRP_LIMIT: [-288, 'Malformed: Limit quality is not allowed for XRP to XRP.'],
  temBAD_SEND_XRP_PATHS: [-284, 'Malformed: Paths are not allowed for XRP to XRP.'],
  temINVALID: [-277, 'The transaction is ill-formed.'],
  temINVALID_FLAG: [-276, 'The transaction has an invalid flag.'],
  temREDUNDANT: [-275, 'The transaction is redundant.'],
  temDISABLED: [-273, 'The transaction requires logic that is currently disabled.'],
  temCANNOT_PREAUTH_SELF: [-267, 'An account may not preauthorize itself.'],
  temINVALID_COUNT: [-266, 'The count of entries is invalid.'],
  temSEQ_AND_TICKET: [-263, 'Transaction contains a TicketSequence and a non-zero Sequence.'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>

export type ResultCode = keyof typeof codes

export const resultNumber = (code: ResultCode): number => codes[code][0]
export const resultText = (code: ResultCode): string => codes[code][1]

export const isApplied = (code: ResultCode) => code === 'tesSUCCESS' || code.startsWith('tec')
export const isRetried = (code: ResultCode) => code.startsWith('ter')
