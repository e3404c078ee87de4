/** Every text of the pages, in one place for translation: what the pages share, then one part for each page, which is loaded with that page only. */

export const shared = {
  name: 'Tandem',
  pages: 'Pages',
  skip: 'Skip to the content',
  swap: 'Swap',
  docs: 'Docs',
  close: 'Close',
  copied: 'Copied',
  copy: (what: string) => `Copy ${what}`,
  toLight: 'Use the light theme',
  toDark: 'Use the dark theme',
  localNetwork: 'Local network, play coins',
  colophon:
    'Two hash time-locked contracts share one secret: either both sides complete, or both are refunded. No bridge, no pooled funds.',
}

export const swap = {
  headline: 'Swap between chains. Both sides complete, or both are refunded.',
}

export const docs = {
  copy: 'Copy',
  copied: 'Copied',
  results: 'Search results',
  waiting: 'Waiting for the answer…',
  stopped: 'Stopped.',
  answered: (status: number, requestId: string) => `Answered ${status}, request id ${requestId}`,
}
