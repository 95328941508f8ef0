import { Cache } from '../../platform/lib/cache.ts'

const TIMEOUT_MS = 5_000
/** Load balancers ask for readiness every few seconds. */
const MAX_AGE_MS = 60_000

type Log = Record<'info' | 'warn', (fields: object, text: string) => void>

/** Whether the identity provider responds: otherwise no operator can sign in through it. */
export class IssuerWatch {
  readonly #issuer: string
  readonly #log: Log
  readonly #checks = new Cache(() => this.#check(), { maxAgeMs: MAX_AGE_MS, maxEntries: 1 })
  #problem: string | undefined

  constructor(issuer: string, log: Log) {
    this.#issuer = issuer
    this.#log = log
  }

  /** The problem that the last check found. Starts a check in the background if that was more than a minute ago. */
  get lastProblem(): string | undefined {
    void this.#checks.get('')
    return this.#problem
  }

  /** Checks now. Resolves to the problem, or to undefined. Never rejects. */
  async check(): Promise<string | undefined> {
    this.#checks.forget()
    return this.#checks.get('')
  }

  async #check(): Promise<string | undefined> {
    const problem = await findProblem(this.#issuer)
    const fields = { issuer: this.#issuer }
    if (problem !== undefined && problem !== this.#problem)
      this.#log.warn(fields, `single sign-on does not work: ${problem} Check GATEHOUSE_OIDC_ISSUER`)
    if (problem === undefined && this.#problem !== undefined) this.#log.info(fields, 'single sign-on works again')
    this.#problem = problem
    return problem
  }
}

/** Reads the configuration of the provider, as a sign-in does (OpenID Connect Discovery 1.0, section 4). */
async function findProblem(issuer: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await response.text()
    if (!response.ok) return `The issuer responds with status ${response.status}.`
    return isConfiguration(text) ? undefined : 'The response of the issuer is not an OpenID configuration.'
  } catch {
    return 'The issuer does not respond.'
  }
}

function isConfiguration(text: string): boolean {
  try {
    const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = JSON.parse(text) ?? {}
    return [issuer, authorization_endpoint, token_endpoint, jwks_uri].every((url) => URL.canParse(url))
  } catch {
    return false
  }
}
