// Tests co-signed spends on the simulated chains, which must validate like real nodes.
import { startSimulatedChain } from '../bitcoin.fixture.ts'
import { describeCosigning } from './cosign.conformance.ts'

describeCosigning('spends by both parties on a simulated bitcoin', () => startSimulatedChain())
describeCosigning('spends by both parties on a simulated litecoin', () => startSimulatedChain('litecoin:regtest'))
