/** Tests which pairs a policy allows. */
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { AssetId } from './asset.ts'
import { openPolicy, type Policy, parsePolicy } from './policy.ts'

const with_ = (changes: Partial<Policy>) => parsePolicy({ ...openPolicy, ...changes })
const allowed = (changes: Partial<Policy>, from: AssetId, to: AssetId) => with_(changes).refusal(from, to) === null

describe('without rules', () => {
  it('an open policy allows everything and a closed one nothing', () => {
    expect(allowed({}, 'bitcoin:btc', 'ethereum:wbtc')).toBe(true)
    expect(with_({ default: 'closed' }).refusal('bitcoin:btc', 'ethereum:wbtc')).toBe(
      "bitcoin:btc cannot be swapped for ethereum:wbtc here: the operator's policy allows only the pairs it lists",
    )
  })
})

describe('patterns', () => {
  test.each<[string, AssetId, boolean]>([
    ['*', 'solana_testnet:usdc', true],
    ['*:*', 'solana_testnet:usdc', true],
    ['*:usdc', 'solana_testnet:usdc', true],
    ['*:usdc', 'solana_testnet:usdc.e', false],
    ['*:usdc*', 'solana_testnet:usdc.e', true],
    ['solana_testnet:*', 'solana_testnet:usdc', true],
    ['solana*:*', 'solana_testnet:usdc', true],
    ['solana*:*', 'ethereum:solana', false],
    ['sol*test*:*s*', 'solana_testnet:usdc', true],
    ['solana_testnet:usdc', 'solana_testnet:usdc', true],
    ['SOLANA_testnet:UsdC', 'solana_testnet:usdc', true],
    ['solana:usdc', 'solana_testnet:usdc', false],
    ['*:usdc.e', 'ethereum:usdcxe', false],
    ['*solana_testnet*:*usdc*', 'solana_testnet:usdc', true],
  ])('%s on %s: %s', (pattern, asset, matches) => {
    expect(allowed({ blacklist_pairs: [`${pattern} -> bitcoin:btc`] }, asset, 'bitcoin:btc')).toBe(!matches)
    expect(allowed({ default: 'closed', whitelist_overrides: [`bitcoin:btc->${pattern}`] }, 'bitcoin:btc', asset)).toBe(matches)
  })
})

describe('arrows', () => {
  it('-> is one way, <-> both', () => {
    const [from, to] = ['bitcoin:btc', 'ethereum:wbtc'] as const
    expect(allowed({ blacklist_pairs: [`${from} -> ${to}`] }, from, to)).toBe(false)
    expect(allowed({ blacklist_pairs: [`${from} -> ${to}`] }, to, from)).toBe(true)
    expect(allowed({ blacklist_pairs: [`${from} <-> ${to}`] }, from, to)).toBe(false)
    expect(allowed({ blacklist_pairs: [`${from} <-> ${to}`] }, to, from)).toBe(false)
  })
})

describe('the order of decision', () => {
  const pair = 'bitcoin:btc -> ethereum:wbtc'
  it('an override wins over everything', () => {
    const policy = { default: 'closed', isolation_groups: ['bitcoin:btc <-> tron:usdt'], blacklist_pairs: [pair] } as const
    expect(allowed(policy, 'bitcoin:btc', 'ethereum:wbtc')).toBe(false)
    expect(allowed({ ...policy, whitelist_overrides: [pair] }, 'bitcoin:btc', 'ethereum:wbtc')).toBe(true)
  })

  it('a pair of one group may still be excluded, and needs an open default', () => {
    const groups = { isolation_groups: ['bitcoin:btc <-> ethereum:wbtc'] }
    expect(allowed(groups, 'bitcoin:btc', 'ethereum:wbtc')).toBe(true)
    expect(with_({ ...groups, blacklist_pairs: [pair] }).refusal('bitcoin:btc', 'ethereum:wbtc')).toContain(`excludes "${pair}"`)
    expect(allowed({ ...groups, default: 'closed' }, 'bitcoin:btc', 'ethereum:wbtc')).toBe(false)
  })
})

describe('isolation groups', () => {
  it('an asset in a group swaps only within its groups', () => {
    const policy = { isolation_groups: ['bitcoin:btc <-> ethereum:ibtc', 'ethereum:ibtc <-> base:ibtc'] }
    expect(allowed(policy, 'bitcoin:btc', 'ethereum:ibtc')).toBe(true)
    expect(allowed(policy, 'ethereum:ibtc', 'base:ibtc')).toBe(true)
    expect(allowed(policy, 'bitcoin:btc', 'base:ibtc')).toBe(false)
    expect(with_(policy).refusal('ethereum:wbtc', 'base:ibtc')).toContain('isolates "ethereum:ibtc <-> base:ibtc"')
    expect(allowed(policy, 'base:ibtc', 'ethereum:wbtc')).toBe(false)
    expect(allowed(policy, 'ethereum:wbtc', 'base:wbtc')).toBe(true)
  })

  it('<-> makes one group of both sides', () => {
    const policy = { isolation_groups: ['*:usdc <-> *:usdt'] }
    expect(allowed(policy, 'ethereum:usdc', 'base:usdc')).toBe(true)
    expect(allowed(policy, 'tron:usdt', 'base:usdc')).toBe(true)
    expect(allowed(policy, 'tron:usdt', 'base:eth')).toBe(false)
  })

  it('-> restricts swaps from its left and swaps to its right', () => {
    const policy = { isolation_groups: ['bitcoin:btc -> ethereum:ibtc'] }
    expect(allowed(policy, 'bitcoin:btc', 'ethereum:ibtc')).toBe(true)
    expect(allowed(policy, 'bitcoin:btc', 'ethereum:wbtc')).toBe(false)
    expect(allowed(policy, 'ethereum:wbtc', 'ethereum:ibtc')).toBe(false)
    expect(allowed(policy, 'ethereum:ibtc', 'bitcoin:btc')).toBe(true)
    expect(allowed(policy, 'ethereum:wbtc', 'bitcoin:btc')).toBe(true)
  })
})

describe('the spelling of rules', () => {
  it('is normalised', () => {
    const policy: Policy = {
      default: 'closed',
      isolation_groups: ['  A:B<->c:D '],
      blacklist_pairs: ['*:* -> *'],
      whitelist_overrides: ['a*:x->*:y'],
    }
    expect(parsePolicy(policy).policy).toEqual({
      default: 'closed',
      isolation_groups: ['a:b <-> c:d'],
      blacklist_pairs: ['* -> *'],
      whitelist_overrides: ['a*:x -> *:y'],
    })
  })

  test.each([
    ['bitcoin:btc', 'a rule is "A -> B"'],
    ['a:b -> c:d -> e:f', 'a rule is "A -> B"'],
    ['a:b <-> c:d -> e:f', 'a rule is "A -> B"'],
    ['a:b <- c:d', 'a rule is "A -> B"'],
    ['-> a:b', '"" is neither "*" nor of the form <chain>:<asset>'],
    ['a:b ->', '"" is neither'],
    ['bitcoin -> a:b', '"bitcoin" is neither'],
    ['a:b:c -> *', '"a:b:c" is neither'],
    ['a: -> *', '"a:" is neither'],
    ['a:b, c:d -> *', '"a:b, c:d" is neither'],
    ['(a+)+:b -> *', '"(a+)+:b" is neither'],
  ])('%s is refused', (rule, why) => {
    for (const list of ['isolation_groups', 'blacklist_pairs', 'whitelist_overrides'] as const)
      expect(() => with_({ [list]: [rule] })).toThrow(`${list} has "${rule}": ${why}`)
  })

  it('lists patterns that match no asset', () => {
    const rules = with_({ blacklist_pairs: ['bitcoin:btc -> *:usdx'], isolation_groups: ['* -> etherium*:*'] })
    expect(rules.unmatched(['bitcoin:btc', 'ethereum:usdc'])).toEqual(['etherium*:*', '*:usdx'])
  })
})

/** The definition is repeated here without compiled patterns, by listing the pairs of each rule. */
function oracle(policy: Policy, from: string, to: string, everything: readonly string[]): boolean {
  const fits = (asset: string, pattern: string): boolean => {
    if (pattern === '*') return true
    const glob = (text: string, wanted: string): boolean => {
      if (wanted === '') return text === ''
      if (wanted[0] === '*') return glob(text, wanted.slice(1)) || (text !== '' && glob(text.slice(1), wanted))
      return text !== '' && text[0] === wanted[0] && glob(text.slice(1), wanted.slice(1))
    }
    const [chain = '', token = ''] = asset.split(':')
    const [chainPattern = '', tokenPattern = ''] = pattern.split(':')
    return glob(chain, chainPattern) && glob(token, tokenPattern)
  }
  const all = (pattern: string) => everything.filter((asset) => fits(asset, pattern))
  const sides = (rule: string) => rule.split(/ <?-> /).map(all) as [string[], string[]]
  const pairs = (rule: string, clique: boolean): (readonly [string, string])[] => {
    const [a, b] = sides(rule)
    const product = (xs: string[], ys: string[]) => xs.flatMap((x) => ys.map((y) => [x, y] as const))
    if (!rule.includes('<->')) return product(a, b)
    return clique ? product([...a, ...b], [...a, ...b]) : [...product(a, b), ...product(b, a)]
  }
  const lists = (rules: readonly string[], clique = false) =>
    rules.some((rule) => pairs(rule, clique).some(([x, y]) => x === from && y === to))
  if (lists(policy.whitelist_overrides)) return true
  const leaving = policy.isolation_groups.flatMap((rule) => (rule.includes('<->') ? sides(rule).flat() : sides(rule)[0]))
  const arriving = policy.isolation_groups.flatMap((rule) => (rule.includes('<->') ? sides(rule).flat() : sides(rule)[1]))
  if ((leaving.includes(from) || arriving.includes(to)) && !lists(policy.isolation_groups, true)) return false
  if (lists(policy.blacklist_pairs)) return false
  return policy.default === 'open'
}

/**
 * Clients in the field read GET /policy like this before they ask for a quote. Of the isolation groups only the most exact one that an
 * asset is in counts, and `*` is known as everything, as a whole chain, or as a whole asset.
 */
function clientAllows(policy: Policy, from: string, to: string): boolean {
  const fits = (asset: string, pattern: string) => {
    const [[chain, token], [chainPattern, tokenPattern]] = [asset.split(':'), pattern.split(':')]
    return pattern === '*' || ((chainPattern === '*' || chainPattern === chain) && (tokenPattern === '*' || tokenPattern === token))
  }
  const read = (text: string) => {
    const [left = '', right = ''] = text.split(/ <?-> /)
    const bothWays = text.includes('<->')
    const exactness = [left, right].reduce((sum, side) => sum * 10 + (side === '*' ? 0 : side.includes('*') ? 1 : 2), 0)
    const leaves = (asset: string) => fits(asset, left) || (bothWays && fits(asset, right))
    const arrives = (asset: string) => fits(asset, right) || (bothWays && fits(asset, left))
    const names = (fits(from, left) && fits(to, right)) || (bothWays && fits(from, right) && fits(to, left))
    return { exactness, leaves, arrives, names }
  }
  const groups = policy.isolation_groups.map(read).toSorted((a, b) => b.exactness - a.exactness)
  if (policy.whitelist_overrides.map(read).some(({ names }) => names)) return true
  if (groups.find(({ leaves }) => leaves(from))?.arrives(to) === false) return false
  if (groups.find(({ arrives }) => arrives(to))?.leaves(from) === false) return false
  return policy.default === 'open' && !policy.blacklist_pairs.map(read).some(({ names }) => names)
}

describe('for any policy', () => {
  const chains = ['bitcoin', 'base', 'base_sepolia']
  const tokens = ['btc', 'wbtc', 'usdc.e']
  const everything = chains.flatMap((chain) => tokens.map((token) => `${chain}:${token}` as AssetId))
  const part = (words: string[]) => fc.constantFrom(...words, '*', 'b*', '*b*', '*c', 'x')
  const pattern = fc.oneof(
    fc.constant('*'),
    fc.tuple(part(chains), part(tokens)).map(([a, b]) => (a === '*' && b === '*' ? '*' : `${a}:${b}`)),
  )
  const policiesOf = (patterns: fc.Arbitrary<string>): fc.Arbitrary<Policy> => {
    const rule = fc.tuple(patterns, fc.constantFrom('->', '<->'), patterns).map((parts) => parts.join(' '))
    const rules = fc.array(rule, { maxLength: 3 })
    return fc.record({
      default: fc.constantFrom('open', 'closed'),
      isolation_groups: rules,
      blacklist_pairs: rules,
      whitelist_overrides: fc.array(rule, { maxLength: 2 }),
    })
  }
  const policies = policiesOf(pattern)

  it('the result equals the definition', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const { refusal } = parsePolicy(policy)
        for (const from of everything)
          for (const to of everything) {
            const why = refusal(from, to)
            expect({ from, to, allowed: why === null }).toEqual({ from, to, allowed: oracle(policy, from, to, everything) })
            if (why !== null) expect(why).toContain(`${from} cannot be swapped for ${to}`)
          }
      }),
      { numRuns: 150 },
    )
  })

  it('a pair that clients consider allowed is allowed; with at most one group clients agree on all pairs', () => {
    const whole = fc.constantFrom('*', ...chains.map((chain) => `${chain}:*`), ...tokens.map((token) => `*:${token}`), ...everything)
    fc.assert(
      fc.property(policiesOf(whole), (policy) => {
        const { refusal } = parsePolicy(policy)
        for (const from of everything)
          for (const to of everything.filter((asset) => asset !== from)) {
            const [ours, theirs] = [refusal(from, to) === null, clientAllows(policy, from, to)]
            if (theirs || policy.isolation_groups.length < 2) expect({ policy, from, to, ours }).toEqual({ policy, from, to, ours: theirs })
          }
      }),
      { numRuns: 150 },
    )
  })

  it('normalising twice changes nothing', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const rulesOf = parsePolicy(policy)
        expect(parsePolicy(rulesOf.policy).policy).toEqual(rulesOf.policy)
        expect(rulesOf.policy).toEqual(policy)
      }),
    )
  })
})
