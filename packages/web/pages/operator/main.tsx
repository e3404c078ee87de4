/** The operator page: login, overview, search, and a page for each order. */
import { signal, useSignal } from '@preact/signals'
import { ApiError, UnauthorizedError } from '@tandem/sdk'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Layout } from '../../shared/layout.tsx'
import { operator } from '../../texts.ts'
import { explainError, isOffline, logIn, logOut, readSession, session } from './api.ts'
import { OrderPage } from './order.tsx'
import { Overview } from './overview.tsx'
import { Waiting } from './parts.tsx'
import { Found } from './search.tsx'
import './operator.css'

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
  scrollTo(0, 0)
})

/** A link may carry the token in its fragment, which is not sent to any server. The token is removed from the address bar and the history at once. */
function takeToken(): string | null {
  const token = /^#token=([0-9a-f.]+)$/.exec(location.hash)?.[1] ?? null
  if (token !== null) {
    history.replaceState(null, '', location.pathname)
    hash.value = ''
  }
  return token
}

function App() {
  const refusal = useSignal<string | null>(null)
  async function enter(token: string): Promise<void> {
    try {
      await logIn(token)
      refusal.value = null
    } catch (error) {
      refusal.value =
        error instanceof UnauthorizedError ? operator.login.wrong : error instanceof ApiError ? explainError(error).text : operator.offline
      if (session.value === undefined) session.value = null
    }
  }
  useEffect(() => {
    const token = takeToken()
    void (token === null ? readSession() : enter(token))
  }, [])
  return (
    <Layout here={null} network={session.value?.environment ?? null}>
      <div class="operator">
        {session.value === undefined && <Waiting />}
        {session.value === null && <Login refusal={refusal.value} onEnter={enter} />}
        {session.value != null && <Inside />}
      </div>
    </Layout>
  )
}

function Login({ refusal, onEnter }: { readonly refusal: string | null; readonly onEnter: (token: string) => Promise<void> }) {
  const token = useSignal('')
  const { headline, token: label, hint, enter } = operator.login
  return (
    <form
      class="login stack"
      onSubmit={(event) => {
        event.preventDefault()
        void onEnter(token.value.trim())
      }}
    >
      <h1>{headline}</h1>
      <div class="field">
        <label for="token">{label}</label>
        <input
          id="token"
          class="input mono"
          type="password"
          autoComplete="current-password"
          required
          aria-describedby="token-hint"
          aria-invalid={refusal !== null}
          value={token}
          onInput={(event) => (token.value = event.currentTarget.value)}
        />
        <p id="token-hint" class={refusal === null ? 'hint' : 'hint wrong'} role={refusal === null ? undefined : 'alert'}>
          {refusal ?? hint}
        </p>
      </div>
      <button type="submit" class="button main">
        {enter}
      </button>
    </form>
  )
}

function Inside() {
  const order = /^#\/orders\/([0-9a-fA-F]+)$/.exec(hash.value)?.[1]
  const search = /^#\/search\/(.+)$/.exec(hash.value)?.[1]
  const { name = '', may_write = false } = session.value ?? {}
  return (
    <>
      <div class="top">
        <h1>{order === undefined ? operator.headline : operator.order.headline}</h1>
        {(order !== undefined || search !== undefined) && <a href="#/">{operator.back}</a>}
        <span class="soft small who">{operator.login.as(name, may_write)}</span>
        <button type="button" class="button plain" onClick={() => void logOut()}>
          {operator.login.leave}
        </button>
      </div>
      <div aria-live="polite">{isOffline.value && <p class="notice alarm">{operator.offline}</p>}</div>
      {order !== undefined ? (
        <OrderPage key={order} id={order} />
      ) : search !== undefined ? (
        <Found key={search} text={decodeURIComponent(search)} />
      ) : (
        <Overview />
      )}
    </>
  )
}

const place = document.getElementById('page')
if (place !== null) render(<App />, place)
