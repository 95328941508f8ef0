import { isIP } from 'node:net'
import { ROLES, type Role } from '../domain/operator.ts'
import { ConfigError, type Environment } from './environment.ts'

/** How people sign in to the dashboard. */
export interface SignInConfig {
  /** `https://gatehouse.example.com`: under what browsers find this server. Absent: under whatever they ask for. */
  readonly publicUrl: string | undefined
  /** Addresses, or networks, of proxies that say on whose behalf they ask. */
  readonly trustedProxies: readonly string[]
  readonly oidc: OidcConfig | undefined
}

/** Single sign-on; the client's secret is among the secrets. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecretEnv: string
  /** On the button. */
  readonly name: string
  readonly scopes: readonly string[]
  /** The claim that says what people may. Absent: only who has been invited may sign in. */
  readonly roleClaim: string | undefined
  /** What values of the claim mean. */
  readonly roles: ReadonlyMap<string, Role>
}

const SECRET_ENV = 'GATEHOUSE_OIDC_CLIENT_SECRET'

export function signIn(env: Environment): SignInConfig {
  return {
    publicUrl: env.GATEHOUSE_PUBLIC_URL ? originOf('GATEHOUSE_PUBLIC_URL', env.GATEHOUSE_PUBLIC_URL) : undefined,
    trustedProxies: proxies(env.GATEHOUSE_TRUSTED_PROXIES),
    oidc: oidc(env),
  }
}

function oidc(env: Environment): OidcConfig | undefined {
  const { GATEHOUSE_OIDC_ISSUER: issuer, GATEHOUSE_OIDC_CLIENT_ID: clientId } = env
  if (!issuer && !clientId) return undefined
  if (!issuer || !clientId || !env[SECRET_ENV]) {
    throw new ConfigError(`single sign-on needs GATEHOUSE_OIDC_ISSUER, GATEHOUSE_OIDC_CLIENT_ID and ${SECRET_ENV}`)
  }
  if (!URL.canParse(issuer)) throw new ConfigError('GATEHOUSE_OIDC_ISSUER must be a URL, as https://login.example.com')
  return {
    issuer: issuer.replace(/\/+$/, ''),
    clientId,
    clientSecretEnv: SECRET_ENV,
    name: env.GATEHOUSE_OIDC_NAME || 'single sign-on',
    scopes: env.GATEHOUSE_OIDC_SCOPES ? listOf(env.GATEHOUSE_OIDC_SCOPES) : ['openid', 'profile', 'email'],
    roleClaim: env.GATEHOUSE_OIDC_ROLE_CLAIM || undefined,
    roles: env.GATEHOUSE_OIDC_ROLES ? rolesOf(env.GATEHOUSE_OIDC_ROLES) : new Map(ROLES.map((role) => [role, role])),
  }
}

/** `gatehouse-admins=owner,security=auditor` */
function rolesOf(text: string): Map<string, Role> {
  return new Map(
    listOf(text).map((pair) => {
      const at = pair.lastIndexOf('=')
      const role = ROLES.find((name) => name === pair.slice(at + 1))
      if (at < 1 || !role)
        throw new ConfigError(`GATEHOUSE_OIDC_ROLES must be a list as group=role, with roles of ${ROLES.join(', ')}`)
      return [pair.slice(0, at), role]
    }),
  )
}

/** `10.0.0.0/8,127.0.0.1` */
function proxies(text: string | undefined): string[] {
  const list = listOf(text)
  for (const entry of list) {
    const [address = '', prefix = '0'] = entry.split('/', 2)
    const bits = isIP(address) === 6 ? 128 : 32
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) {
      throw new ConfigError(
        `GATEHOUSE_TRUSTED_PROXIES must be addresses or networks with commas between, as 10.0.0.0/8,127.0.0.1; ${entry} is neither`,
      )
    }
  }
  return list
}

const listOf = (text: string | undefined): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean)

function originOf(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new ConfigError(`${name} must be an origin, as https://gatehouse.example.com`)
  }
  return url.origin
}
