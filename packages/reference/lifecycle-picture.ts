/** The life of an order as a picture: a swap that completes on the left, refunds and expiry on the right. */
import type { OrderStatus } from '@tandem/protocol/state.ts'

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

/** An order that cannot complete goes from any of these to `awaiting_refund`. */
export const waysOut: readonly OrderStatus[] = [
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
]

/** Positions in pixels. The narrow layout fits a phone: its boxes are as wide as their words. */
type Layout = {
  readonly name: 'wide' | 'narrow'
  readonly columns: readonly [Column, Column]
  readonly top: number
  readonly rowHeight: number
  readonly width: number
  /** The distance of a label above its arrow to the right. */
  readonly labelAbove: number
}
type Column = { readonly x: number; readonly width: number }

const LAYOUTS: readonly Layout[] = [
  {
    name: 'wide',
    columns: [
      { x: 4, width: 244 },
      { x: 322, width: 134 },
    ],
    top: 4,
    rowHeight: 64,
    width: 492,
    labelAbove: 7,
  },
  {
    name: 'narrow',
    columns: [
      { x: 1, width: 202 },
      { x: 227, width: 106 },
    ],
    top: 20,
    rowHeight: 58,
    width: 356,
    // The space between the boxes is too narrow for labels.
    labelAbove: 24,
  },
]

const BOX_HEIGHT = 30

/** Both layouts; the style shows the one that fits. */
export function lifecyclePictures(): string {
  return LAYOUTS.map(draw).join('\n')
}

function draw(layout: Layout): string {
  const { name, columns, top, rowHeight, width } = layout
  const title = `life-title-${name}`
  const tip = `life-tip-${name}`
  const centre = ({ column }: Place): number => columns[column].x + columns[column].width / 2
  const topOf = ({ row }: Place): number => top + row * rowHeight
  const middleOf = (place: Place): number => topOf(place) + BOX_HEIGHT / 2
  const leftEnd = columns[0].x + columns[0].width
  const line = (d: string): string => `<path class="life-line" d="${d}" marker-end="url(#${tip})"/>`

  function box([status, place]: readonly [OrderStatus, Place]): string {
    const { x, width: boxWidth } = columns[place.column]
    return `<g class="life-${place.tone}"><rect x="${x}" y="${topOf(place)}" width="${boxWidth}" height="${BOX_HEIGHT}" rx="6"/><text x="${centre(place)}" y="${middleOf(place) + 4}" text-anchor="middle">${status}</text></g>`
  }

  function arrow({ from, to, label }: Edge): string {
    const [start, end] = [places[from], places[to]]
    if (start.row === end.row) {
      const y = middleOf(start)
      return `${line(`M${leftEnd} ${y}H${columns[1].x - 1}`)}${note((leftEnd + columns[1].x) / 2, y - layout.labelAbove, label, 'middle')}`
    }
    const x = centre(start)
    const y = (topOf(start) + BOX_HEIGHT + topOf(end)) / 2
    return `${line(`M${x} ${topOf(start) + BOX_HEIGHT}V${topOf(end) - 1}`)}${note(x + 8, y + 4, label, 'start')}`
  }

  /** One line joins all arrows to `awaiting_refund`. */
  function bus(): string {
    const rows = waysOut.map((status) => middleOf(places[status]))
    const target = middleOf(places.awaiting_refund)
    const x = (leftEnd + columns[1].x) / 2
    const joins = rows.map((y) => `M${leftEnd} ${y}H${x}`).join('')
    return `<path class="life-line" d="${joins}M${x} ${Math.min(...rows)}V${Math.max(...rows)}"/>${line(`M${x} ${target}H${columns[1].x - 1}`)}`
  }

  const boxes = (Object.entries(places) as [OrderStatus, Place][]).map(box)
  return `<svg class="life life-${name}" viewBox="0 0 ${width} ${top + 7 * rowHeight + BOX_HEIGHT + 4}" role="img" aria-labelledby="${title}">
<title id="${title}">How the status of an order changes</title>
<defs><marker id="${tip}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
${lifecycleEdges.map(arrow).join('\n')}
${bus()}
${boxes.join('\n')}
</svg>`
}

const note = (x: number, y: number, text: string, anchor: 'start' | 'middle'): string =>
  `<text class="life-note" x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`
