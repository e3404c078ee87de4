/** The life of an order as a picture: down the left side the swap that completes, on the right the ways out. */
import type { OrderStatus } from '../../protocol/state.ts'

type Place = { readonly column: 0 | 1; readonly row: number; readonly tone: 'plain' | 'good' | 'back' }

const places: Readonly<Record<OrderStatus, Place>> = {
  created: { column: 0, row: 0, tone: 'plain' },
  initiate_detected: { column: 0, row: 1, tone: 'plain' },
  initiated: { column: 0, row: 2, tone: 'plain' },
  counterparty_initiate_detected: { column: 0, row: 3, tone: 'plain' },
  counterparty_initiated: { column: 0, row: 4, tone: 'plain' },
  redeem_detected: { column: 0, row: 5, tone: 'good' },
  redeemed: { column: 0, row: 6, tone: 'good' },
  counterparty_redeemed: { column: 0, row: 7, tone: 'good' },
  expired: { column: 1, row: 0, tone: 'back' },
  awaiting_refund: { column: 1, row: 2, tone: 'back' },
  refund_detected: { column: 1, row: 3, tone: 'back' },
  refunded: { column: 1, row: 4, tone: 'back' },
}

type Edge = { readonly from: OrderStatus; readonly to: OrderStatus; readonly label: string }

/** Reorgs and skipped steps are left out: docs/lifecycle.md has every change. */
export const lifecycleEdges: readonly Edge[] = [
  { from: 'created', to: 'initiate_detected', label: 'the user pays' },
  { from: 'initiate_detected', to: 'initiated', label: 'confirmed' },
  { from: 'initiated', to: 'counterparty_initiate_detected', label: 'the solver pays' },
  { from: 'counterparty_initiate_detected', to: 'counterparty_initiated', label: 'confirmed' },
  { from: 'counterparty_initiated', to: 'redeem_detected', label: 'the secret is used' },
  { from: 'redeem_detected', to: 'redeemed', label: 'confirmed: the user is paid' },
  { from: 'redeemed', to: 'counterparty_redeemed', label: 'the solver is paid' },
  { from: 'created', to: 'expired', label: 'deadline' },
  { from: 'expired', to: 'awaiting_refund', label: 'paid too late' },
  { from: 'awaiting_refund', to: 'refund_detected', label: 'refund sent' },
  { from: 'refund_detected', to: 'refunded', label: 'confirmed' },
]

/** From each of these an order that cannot complete goes to `awaiting_refund`. */
export const waysOut: readonly OrderStatus[] = [
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
]

const COLUMN = [
  { x: 4, width: 244 },
  { x: 322, width: 134 },
] as const
const BOX_HEIGHT = 30
const ROW_HEIGHT = 64
const TOP = 4
const BUS_X = 284
const WIDTH = 492
const HEIGHT = TOP + 7 * ROW_HEIGHT + BOX_HEIGHT + 4

const centre = ({ column }: Place): number => COLUMN[column].x + COLUMN[column].width / 2
const topOf = ({ row }: Place): number => TOP + row * ROW_HEIGHT
const middleOf = (place: Place): number => topOf(place) + BOX_HEIGHT / 2

export function lifecyclePicture(): string {
  const boxes = (Object.entries(places) as [OrderStatus, Place][]).map(([status, place]) => box(status, place))
  return `<svg class="life" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="life-title">
<title id="life-title">How the status of an order changes</title>
<defs><marker id="life-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
${lifecycleEdges.map(arrow).join('\n')}
${bus()}
${boxes.join('\n')}
</svg>`
}

function box(status: OrderStatus, place: Place): string {
  const { x, width } = COLUMN[place.column]
  return `<g class="life-${place.tone}"><rect x="${x}" y="${topOf(place)}" width="${width}" height="${BOX_HEIGHT}" rx="6"/><text x="${centre(place)}" y="${middleOf(place) + 4}" text-anchor="middle">${status}</text></g>`
}

function arrow({ from, to, label }: Edge): string {
  const [start, end] = [places[from], places[to]]
  if (start.row === end.row) {
    const [x1, x2, y] = [COLUMN[0].x + COLUMN[0].width, COLUMN[1].x, middleOf(start)]
    return `${line(`M${x1} ${y}H${x2 - 1}`)}${note((x1 + x2) / 2, y - 7, label, 'middle')}`
  }
  const x = centre(start)
  const y = (topOf(start) + BOX_HEIGHT + topOf(end)) / 2
  return `${line(`M${x} ${topOf(start) + BOX_HEIGHT}V${topOf(end) - 1}`)}${note(x + 9, y + 4, label, 'start')}`
}

/** One line collects all ways out. */
function bus(): string {
  const rows = waysOut.map((status) => middleOf(places[status]))
  const target = middleOf(places.awaiting_refund)
  const joins = rows.map((y) => `M${COLUMN[0].x + COLUMN[0].width} ${y}H${BUS_X}`).join('')
  return `<path class="life-line" d="${joins}M${BUS_X} ${Math.min(...rows)}V${Math.max(...rows)}"/>${line(`M${BUS_X} ${target}H${COLUMN[1].x - 1}`)}`
}

const line = (d: string): string => `<path class="life-line" d="${d}" marker-end="url(#life-tip)"/>`
const note = (x: number, y: number, text: string, anchor: 'start' | 'middle'): string =>
  `<text class="life-note" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`
