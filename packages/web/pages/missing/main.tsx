/** The page for a path that does not exist. */
import { render } from 'preact'
import { Layout } from '../../shared/layout.tsx'
import { missing } from '../../texts.ts'

function Missing() {
  return (
    <Layout here={null}>
      <div class="stack">
        <h1>{missing.headline}</h1>
        <p>{missing.lead}</p>
        <ul class="stack">
          {missing.places.map(({ path, name, what }) => (
            <li key={path}>
              <a href={path}>{name}</a>: {what}
            </li>
          ))}
        </ul>
      </div>
    </Layout>
  )
}

const place = document.getElementById('page')
if (place !== null) render(<Missing />, place)
