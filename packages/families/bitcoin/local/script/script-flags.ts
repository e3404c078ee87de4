// Lists the script rules that apply: consensus rules bind blocks, standard rules also bind the mempool.

const CONSENSUS = ['P2SH', 'DERSIG', 'NULLDUMMY', 'CHECKLOCKTIMEVERIFY', 'CHECKSEQUENCEVERIFY', 'WITNESS', 'TAPROOT'] as const

const POLICY = [
  'STRICTENC',
  'MINIMALDATA',
  'DISCOURAGE_UPGRADABLE_NOPS',
  'CLEANSTACK',
  'MINIMALIF',
  'NULLFAIL',
  'LOW_S',
  'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM',
  'WITNESS_PUBKEYTYPE',
  'CONST_SCRIPTCODE',
  'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION',
  'DISCOURAGE_OP_SUCCESS',
  'DISCOURAGE_UPGRADABLE_PUBKEYTYPE',
] as const

type ScriptFlag = (typeof CONSENSUS)[number] | (typeof POLICY)[number]
export type ScriptFlags = Readonly<Record<ScriptFlag, boolean>>

function flags(policy: boolean): ScriptFlags {
  const entries = [...CONSENSUS.map((flag) => [flag, true]), ...POLICY.map((flag) => [flag, policy])]
  return Object.fromEntries(entries) as ScriptFlags
}

export const CONSENSUS_FLAGS = flags(false)
export const STANDARD_FLAGS = flags(true)
