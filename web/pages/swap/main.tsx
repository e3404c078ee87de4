/** The swap page. */
import { render } from 'preact'
import { Layout } from '../../shared/layout.tsx'
import { swap } from '../../texts.ts'

const place = document.getElementById('page')
if (place !== null)
  render(
    <Layout here="/">
      <h1>{swap.headline}</h1>
    </Layout>,
    place,
  )
