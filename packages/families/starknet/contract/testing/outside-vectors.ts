// Makes outside executions of orders with the client and starknet.js. The Cairo account must read the calldata, and compute the digest.
import { ec, type TypedData, typedData } from 'starknet'
import { outsideCall, outsideExecutionOf, outsideTypedData } from '../../terms/outside-execution.ts'
import { type Felt, felt, shortString } from '../client/felt.ts'
import type { CairoTestSource } from './cairo-tests.ts'
import type { Vector } from './vectors.ts'

const WAY = 'outside-execution-v2'
const KEY = '0x1234567'
const publicKey = ec.starkCurve.getStarkKey(KEY)
const DEADLINE = 1_800_000_000n

export function outsideVectorTest(vector: Vector, index: number): CairoTestSource {
  const { chainId, address, initiator, redeemer, secretHash, ...numbers } = vector
  const contract = { chainId: shortString(chainId), address: felt(BigInt(address)), token: felt(BigInt(address) + 1n) }
  const terms = {
    asset: 'starknet:any',
    initiator,
    redeemer,
    secretHash,
    timelock: BigInt(numbers.timelock),
    amount: BigInt(numbers.amount),
  } as const
  const execution = outsideExecutionOf(contract, terms, redeemer, DEADLINE)
  const data = outsideTypedData(WAY, contract.chainId, execution)
  const digest = typedData.getMessageHash(data as unknown as TypedData, initiator)
  const { r, s } = ec.starkCurve.sign(digest, KEY)
  const signature: readonly Felt[] = [felt(r), felt(s)]
  const { calldata } = outsideCall(WAY, initiator, execution, signature)
  return {
    name: `outside_vector_${index}`,
    constants: `    const OUTSIDE_${index}: [felt252; ${calldata.length}] = [${calldata.join(', ')}];\n`,
    body: `starknet::testing::set_chain_id('${chainId}');
        let mut calldata = OUTSIDE_${index}.span();
        let execution: crate::tests::outside::OutsideExecution = Serde::deserialize(ref calldata).unwrap();
        let signature: Span<felt252> = Serde::deserialize(ref calldata).unwrap();
        assert(calldata.len() == 0, 'calldata');
        assert(execution.nonce == ${vector.orderId}, 'nonce');
        assert(execution.execute_before == ${DEADLINE}, 'deadline');
        let digest = crate::tests::outside::outside_digest(${initiator}.try_into().unwrap(), execution);
        assert(digest == ${digest}, 'digest');
        assert(core::ecdsa::check_ecdsa_signature(digest, ${publicKey}, *signature[0], *signature[1]), 'signature');`,
  }
}
