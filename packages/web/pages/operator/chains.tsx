/** The chains: how far each is, whether its nodes answer, and a switch to halt it. */
import { useSignal } from '@preact/signals'
import type { ChainRecord, OverviewRecord, ProviderRecord } from '@tandem/protocol/wire/operator.ts'
import { Dialog } from '../../shared/dialog.tsx'
import type { Explanation } from '../../shared/explain.ts'
import { Problem } from '../../shared/problem.tsx'
import { operator } from '../../texts.ts'
import { explainError, halt, resume, session } from './api.ts'
import { formatCount, formatSeconds, formatShort } from './format.ts'
import { Cell, Section, State, Table } from './parts.tsx'

const texts = operator.chains
const EVERYTHING = '*'

export function Chains({ overview }: { readonly overview: OverviewRecord }) {
  const asked = useSignal<string | null>(null)
  const everything = overview.halts.find(({ scope }) => scope === EVERYTHING)
  const { columns } = texts
  return (
    <Section id="chains" title={texts.headline} wide>
      {everything !== undefined && <p class="notice alarm">{texts.allHalted(everything.reason)}</p>}
      <Table
        label={texts.headline}
        columns={[
          { text: columns.chain },
          { text: columns.height, isNumber: true },
          { text: columns.age, isNumber: true },
          { text: columns.state },
          { text: columns.nodes },
        ]}
      >
        {overview.chains.map((chain) => (
          <tr key={chain.chain}>
            <th scope="row">{chain.name}</th>
            <Cell kind="number" name={columns.height}>
              {chain.height === null ? '–' : formatCount(Number(chain.height))}
              {isBehind(chain) && chain.behind !== null && <small class="soft"> {texts.behind(chain.behind)}</small>}
            </Cell>
            <Cell kind="number" name={columns.age}>
              {chain.block_age_seconds === null ? '–' : formatSeconds(chain.block_age_seconds)}
            </Cell>
            <Cell kind="text">
              <ChainState chain={chain} />
              <Switch scope={chain.chain} name={chain.name} isHalted={chain.halted !== null} onAsk={() => (asked.value = chain.chain)} />
              {chain.problem !== null && <small class="soft block">{chain.problem}</small>}
            </Cell>
            <Cell kind="text">
              {chain.providers.map((provider) => (
                <Provider key={provider.name} provider={provider} />
              ))}
            </Cell>
          </tr>
        ))}
      </Table>
      <Switch scope={EVERYTHING} name={texts.everything} isHalted={everything !== undefined} onAsk={() => (asked.value = EVERYTHING)} />
      {asked.value !== null && (
        <HaltDialog
          scope={asked.value}
          name={overview.chains.find(({ chain }) => chain === asked.value)?.name ?? texts.everything}
          onClose={() => (asked.value = null)}
        />
      )}
    </Section>
  )
}

/** While no order is open on it, a chain is recorded once a minute. */
const RESTING_SECONDS = 90

function isBehind({ behind, block_seconds }: ChainRecord): boolean {
  return behind !== null && behind > 1 && behind * block_seconds > RESTING_SECONDS
}

/** The result is null if the chain is in sync. */
export function faultOf({
  halted,
  healthy,
  silent_seconds: silent,
  block_age_seconds: age,
  halt_seconds: maxAge,
}: ChainRecord): string | null {
  if (halted !== null) return texts.halted(halted.reason)
  if (!healthy) return silent === null ? texts.never : texts.silent(formatSeconds(silent))
  return age !== null && age > maxAge ? texts.late : null
}

function ChainState({ chain }: { readonly chain: ChainRecord }) {
  const fault = faultOf(chain)
  return fault === null ? <State kind="good">{texts.healthy}</State> : <State kind="bad">{fault}</State>
}

function Provider({ provider }: { readonly provider: ProviderRecord }) {
  const { name, answered, limited, failed, failing } = provider
  return (
    <span class="provider">
      <span class="mono small">{name}</span> {formatShort(answered)}
      {limited > 0 && <State kind="bad">{texts.limited(limited)}</State>}
      {failed > 0 && <span class="soft">{texts.failed(failed)}</span>}
      {failing && <State kind="bad">{texts.failing}</State>}
    </span>
  )
}

/** It is shown only to operators who may write. */
function Switch({
  scope,
  name,
  isHalted,
  onAsk,
}: {
  readonly scope: string
  readonly name: string
  readonly isHalted: boolean
  readonly onAsk: () => void
}) {
  if (session.value?.may_write !== true) return null
  const isAll = scope === EVERYTHING
  const text = isHalted ? (isAll ? texts.resumeAll : texts.resume) : isAll ? texts.haltAll : texts.halt
  return (
    <button
      type="button"
      class="button plain switch"
      aria-label={isAll ? text : `${text} ${name}`}
      onClick={() => (isHalted ? void resume(scope) : onAsk())}
    >
      {text}
    </button>
  )
}

function HaltDialog({ scope, name, onClose }: { readonly scope: string; readonly name: string; readonly onClose: () => void }) {
  const reason = useSignal('')
  const problem = useSignal<Explanation | null>(null)
  async function confirm(event: Event): Promise<void> {
    event.preventDefault()
    problem.value = null
    try {
      await halt(scope, reason.value.trim())
      onClose()
    } catch (error) {
      problem.value = explainError(error)
    }
  }
  return (
    <Dialog title={`${texts.halt} ${name}`} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void confirm(event)}>
        <div class="field">
          <label for="reason">{texts.why(name)}</label>
          <input
            id="reason"
            class="input"
            required
            maxLength={300}
            value={reason}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </div>
        {problem.value !== null && <Problem of={problem.value} />}
        <button type="submit" class="button main">
          {texts.confirm}
        </button>
      </form>
    </Dialog>
  )
}
