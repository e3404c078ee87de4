/** Events of the HTLC on HyperEVM: those of EVM chains. Their amounts are in the units of HyperCore, as the terms are. */
export { createEventReader } from '../evm/events.ts'
