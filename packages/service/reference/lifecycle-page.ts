/** The page about the life of an order: the picture, every status, and who does what. Texts are those of the protocol's own tables. */
import { playbook } from '@tandem/protocol/playbook.ts'
import { orderStatuses, statusTable } from '@tandem/protocol/state.ts'
import type { Page } from './blocks.ts'
import { lifecycleEdges, lifecyclePictures, waysOut } from './lifecycle-picture.ts'

const inOrder = orderStatuses.map((status) => [`\`${status}\``, statusTable.find((row) => row.status === status)?.when ?? ''])

export const lifecyclePage: Page = {
  path: '/docs/lifecycle',
  title: 'The life of an order',
  summary: 'Every status, how it changes, and who does what',
  method: null,
  blocks: [
    {
      kind: 'paragraph',
      text: 'An order is two swaps under one secret hash: the user initiates the **source**, the solver the **destination**. No status is stored: it follows from what is on the chains. A reorg takes it back.',
    },
    {
      kind: 'picture',
      svg: lifecyclePictures(),
      text: [
        ...lifecycleEdges.map(({ from, to, label }) => `- \`${from}\` → \`${to}\`: ${label}`),
        `- ${waysOut.map((status) => `\`${status}\``).join(', ')} → \`awaiting_refund\`: the order can no longer complete`,
      ].join('\n'),
    },
    {
      kind: 'paragraph',
      text: 'A swap is complete for its user when `destination_swap.redeem_tx_hash` is set. What an order waits for, and who is to act, is in its `next_action`: show that, not the status alone.',
    },
    { kind: 'heading', level: 2, text: 'Status of an order' },
    { kind: 'table', head: ['status', 'when'], rows: inOrder },
    { kind: 'heading', level: 2, text: 'Who does what' },
    { kind: 'paragraph', text: 'The whole protocol. An action is wanted while its condition holds.' },
    {
      kind: 'table',
      head: ['who', 'does', 'on the', 'when'],
      rows: playbook.map((rule) => [rule.who, `**${rule.verb}**`, rule.leg, rule.when]),
    },
  ],
}
