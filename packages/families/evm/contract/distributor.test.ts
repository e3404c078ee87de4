// Tests the distributor of affiliates' earnings on a real EVM.
import { beforeAll, describe, it } from 'vitest'
import { type ContractFixture, createContractFixture } from './contract.fixture.ts'
import { checkDistributor, distributorChecks } from './distributor.fixture.ts'

describe('the distributor', () => {
  let fixture: ContractFixture
  beforeAll(async () => {
    fixture = await createContractFixture()
  })

  it.each(Object.keys(distributorChecks))('%s', (name) => checkDistributor(fixture, name))
})
