/** What the user must sign or send to fund a swap. */

export type Call = {
  readonly chainId: number
  readonly to: string
  readonly data: string
  readonly value: bigint
  readonly gasLimit: bigint
}

/** One variant per way of funding; the wire format is derived from it. */
export type Funding =
  | { readonly kind: 'deposit'; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'calls'
      /** How clients of this family expect numbers to be written. */
      readonly numbers: 'hex' | 'decimal'
      /** To be sent first of all: brings the money to where the other calls find it. */
      readonly coreToEvmTransfer?: Call
      /** To be sent before `approval`, to tokens that change no allowance but to and from zero. */
      readonly approvalReset?: Call
      readonly approval: Call | null
      readonly initiate: Call
      /** By anyone once the swap is there or its deadline has passed, by the initiator at any time: brings back what was paid beside it. */
      readonly reclaim?: Call
      readonly typedData: Readonly<Record<string, unknown>> | null
    }
