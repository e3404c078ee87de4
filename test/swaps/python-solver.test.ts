// The solver of examples/python-solver, which shares no code with the product, is the only solver of a service.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithPython } from '../nodes/describe-with-node.ts'
import { fetchPackages } from '../nodes/fetch.ts'
import { openStory, type Story } from './story.ts'

const ETH = 'ethereum_localnet:eth'
const USDC = 'arbitrum_localnet:usdc'
/** The service has not seen yet that the solver's refund is final. */
const isTooEarly = (error: unknown): false => {
  if (error instanceof Error && 'code' in error && error.code === 'conflict') return false
  throw error
}
const isWithoutPrices = (error: unknown): boolean => {
  if (error instanceof Error && 'code' in error && error.code === 'no_quotes') return true
  throw error
}
const example = join(import.meta.dirname, '../../examples/python-solver')

await describeWithPython('python-ecdsa', 'a solver in Python', () => {
  let story: Story
  let folder: string
  let env: NodeJS.ProcessEnv
  let solver: ChildProcess | null = null
  let address: string
  const said: string[] = []

  async function start(): Promise<void> {
    const config = join(folder, 'python-solver', 'config.json')
    const child = spawn('python3', [join(example, 'solver.py'), config], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    solver = child
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the solver ended with ${code}`)))
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line)
        if (process.env.TANDEM_STORY_LOG !== undefined) process.stderr.write(`${line}\n`)
        if (line.startsWith('listening')) resolve()
      })
    })
  }

  async function kill(): Promise<void> {
    if (solver === null || solver.exitCode !== null) return
    const ended = once(solver, 'exit')
    solver.kill('SIGKILL')
    await ended
    solver = null
  }

  beforeAll(async () => {
    const packages = await fetchPackages('python-ecdsa')
    env = { ...process.env, PYTHONPATH: join(packages, 'usr', 'lib', 'python3', 'dist-packages'), PYTHONDONTWRITEBYTECODE: '1' }
    story = await openStory({ chains: ['ethereum_localnet', 'arbitrum_localnet'], livePrices: {} })
    folder = dirname(story.stack.configs.serviceFile)
    await Promise.all([story.stack.solver.setRunning(false), story.stack.service.setRunning(false)])
    // The stack's own solver has this port and does not run.
    const { listen } = JSON.parse(await readFile(story.stack.configs.solverFile, 'utf8')) as { listen: { port: number } }
    const { stdout } = await promisify(execFile)('python3', [join(example, 'local_setup.py'), folder, String(listen.port)], { env })
    address = stdout.trim()
    await start()
    await story.stack.service.setRunning(true)
  })
  afterAll(async () => {
    await kill()
    await story.close()
  })

  const held = async () => ({
    eth: await story.evm('ethereum_localnet').balanceOf(address),
    usdc: await story.evm('arbitrum_localnet').balanceOf(address, story.contractsOf(USDC).token),
  })
  const order = async (amount: bigint, secretHash: string) => {
    const quote = await story.api.quote({ from: ETH, to: USDC, from_amount: amount.toString() })
    return story.api.createOrder({
      source: { asset: ETH, owner: story.ownerOf(ETH), amount: quote.source.amount },
      destination: { asset: USDC, owner: story.ownerOf(USDC), amount: quote.destination.amount },
      secret_hash: secretHash,
    })
  }

  it('swaps in both directions: the user is paid, and it collects the source', async () => {
    const before = { user: await story.balance(USDC), solver: await held() }
    const amount = 500_000_000_000_000_000n
    const bought = await story.order(ETH, USDC, amount)
    await story.evm('ethereum_localnet').fund(bought)
    const done = await story.untilStatus(bought.order_id, 'counterparty_redeemed')
    expect((await story.balance(USDC)) - before.user).toBe(BigInt(done.destination_swap.amount))
    const between = await held()
    expect(before.solver.usdc - between.usdc).toBe(BigInt(done.destination_swap.amount))
    // The solver pays gas.
    expect(between.eth - before.solver.eth).toBeGreaterThan(amount - 10n ** 16n)

    const ether = await story.balance(ETH)
    const sold = await story.order(USDC, ETH, 600_000_000n)
    const { token, htlc } = story.contractsOf(USDC)
    await story.evm('arbitrum_localnet').approve(token, htlc, 600_000_000n)
    await story.evm('arbitrum_localnet').fund(sold)
    const paid = await story.untilStatus(sold.order_id, 'counterparty_redeemed')
    expect((await story.balance(ETH)) - ether).toBe(BigInt(paid.destination_swap.amount))
    expect((await held()).usdc - between.usdc).toBe(600_000_000n)
  })

  it('keeps a quote for one order when the price has moved since, and without prices quotes nothing', async () => {
    const { ticker } = story.stack
    if (ticker === null) throw new Error('prices are fixed')
    const ask = (amount: bigint) => story.api.quote({ from: ETH, to: USDC, from_amount: amount.toString() })
    const [amount, other] = [300_000_000_000_000_000n, 310_000_000_000_000_000n]
    const quoted = (await ask(amount)).destination.amount
    const before = BigInt((await ask(other)).destination.amount)
    // The price is in hundred-millionths of a dollar for a whole coin, 1 % lower.
    ticker.setPrice('ETH', (BigInt(quoted) * 1000n * 99n) / 300n)
    await story.eventually('a lower price', async () => BigInt((await ask(other)).destination.amount) < (before * 995n) / 1000n)
    const order = () =>
      story.api.createOrder({
        source: { asset: ETH, owner: story.ownerOf(ETH), amount: amount.toString() },
        destination: { asset: USDC, owner: story.ownerOf(USDC), amount: quoted },
        slippage: 0,
      })
    const { order_id: id } = await order()
    expect((await story.api.order(id)).destination_swap.amount).toBe(quoted)
    await expect(order()).rejects.toThrow('the price is now')
    ticker.setPrice('ETH', null)
    ticker.break('kraken', 'garbage')
    await story.eventually('no quote', () => ask(amount).then(() => false, isWithoutPrices))
    ticker.break('kraken', null)
    await story.eventually('a quote', () =>
      ask(amount).then(
        () => true,
        (error) => !isWithoutPrices(error),
      ),
    )
  })

  it('is killed after it locked, starts again, and is refunded; then the user too, by its consent', async () => {
    const before = await held()
    const created = await order(400_000_000_000_000_000n, hashSecret(createSecret()))
    await story.evm('ethereum_localnet').fund(created)
    const locked = await story.untilStatus(created.order_id, 'counterparty_initiated')
    expect(before.usdc - (await held()).usdc).toBe(BigInt(locked.destination_swap.amount))
    await kill()
    await story.passTime('arbitrum_localnet', 200)
    await start()
    await story.until(created.order_id, 'the solver to be refunded', (one) => one.destination_swap.refund_tx_hash !== '')
    expect((await held()).usdc).toBe(before.usdc)
    // The blocks are mined one by one, because those of `hardhat_mine` have no state to read.
    for (let block = 0; block < 12; block += 1) await story.evmChain('arbitrum_localnet').request({ method: 'evm_mine', params: [] })
    // The service would ask by itself a little later.
    const ask = () =>
      story.api.call('PATCH', `/orders/${created.order_id}?action=instant-refund`, { signatures: [], order_token: created.order_token })
    await story.eventually('the refund of the user', () => ask().then(() => true, isTooEarly))
    await story.untilStatus(created.order_id, 'refunded')
  })

  it('does not pay for a deposit after the deadline, and consents to its refund', async () => {
    const [ether, before] = [await story.balance(ETH), await held()]
    const late = await story.order(ETH, USDC, 400_000_000_000_000_000n)
    await story.passTime('ethereum_localnet', 3_700)
    // The solver decides by itself, before the service asks for the refund.
    await story.stack.service.setRunning(false)
    await story.evm('ethereum_localnet').fund(late)
    const declined = `order ${late.order_id} is declined: it was funded after the deadline`
    await story.eventually('the solver to decline', async () => said.includes(declined))
    await story.stack.service.setRunning(true)
    const refunded = await story.untilStatus(late.order_id, 'refunded')
    expect(refunded.destination_swap.initiate_tx_hash).toBe('')
    expect(ether - (await story.balance(ETH))).toBeLessThan(10n ** 16n)
    expect(await held()).toEqual(before)
  })
})
