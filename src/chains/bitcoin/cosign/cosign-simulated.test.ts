// What both parties sign, on the simulated chains, which must judge as real nodes do.
import { startSimulatedChain } from '../bitcoin.fixture.ts'
import { describeCosigning } from './cosign.conformance.ts'

describeCosigning('spends by both parties on a simulated bitcoin', () => startSimulatedChain())
describeCosigning('spends by both parties on a simulated litecoin', () => startSimulatedChain('litecoin:regtest'))
