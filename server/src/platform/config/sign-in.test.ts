import { expect, test } from 'vitest'
import { ConfigError } from './environment.ts'
import { readSignInConfig } from './sign-in.ts'

const OIDC = {
  GATEHOUSE_OIDC_ISSUER: 'https://login.example.com/',
  GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
  GATEHOUSE_OIDC_CLIENT_SECRET: 'secret',
}

test('sign-in config: has no OIDC when nothing is set', () => {
  expect(readSignInConfig({})).toEqual({ publicUrl: undefined, trustedProxies: [], oidc: undefined })
})

test('sign-in config: has OIDC without its secret when it is set', () => {
  const { oidc } = readSignInConfig({
    ...OIDC,
    GATEHOUSE_OIDC_ROLE_CLAIM: 'groups',
    GATEHOUSE_OIDC_ROLES: 'cn=admins=owner, security=auditor, security=acme:reviewer',
  })
  expect(oidc).toMatchObject({ issuer: 'https://login.example.com', clientId: 'gatehouse', roleClaim: 'groups' })
  expect([...(oidc?.roles ?? [])]).toEqual([
    ['cn=admins', [{ role: 'owner' }]],
    ['security', [{ role: 'auditor' }, { workspace: 'acme', role: 'reviewer' }]],
  ])
  expect(Object.values(oidc ?? {})).not.toContain('secret')
})

test('sign-in config: groups can have spaces and slashes', () => {
  const roles = 'Gatehouse Admins=owner, /gatehouse/review=reviewer security=auditor'
  const { oidc } = readSignInConfig({ ...OIDC, GATEHOUSE_OIDC_ROLES: roles })
  expect([...(oidc?.roles?.keys() ?? [])]).toEqual(['Gatehouse Admins', '/gatehouse/review', 'security'])
})

test.each([
  { ...OIDC, GATEHOUSE_OIDC_CLIENT_SECRET: '' },
  { ...OIDC, GATEHOUSE_OIDC_ISSUER: '' },
  { ...OIDC, GATEHOUSE_OIDC_ISSUER: 'login' },
  { ...OIDC, GATEHOUSE_OIDC_ROLES: 'admins=king' },
  { ...OIDC, GATEHOUSE_OIDC_ROLES: 'owner' },
  { ...OIDC, GATEHOUSE_OIDC_ROLES: 'admins=:owner' },
  { ...OIDC, GATEHOUSE_OIDC_ROLES: 'admins=acme:king' },
  { GATEHOUSE_PUBLIC_URL: 'gatehouse.example.com' },
  { GATEHOUSE_PUBLIC_URL: 'https://example.com/gatehouse' },
  { GATEHOUSE_PUBLIC_URL: 'ftp://example.com' },
  { GATEHOUSE_TRUSTED_PROXIES: 'proxy.example' },
  { GATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/33' },
  { GATEHOUSE_TRUSTED_PROXIES: '10.0.0.0/x, 127.0.0.1' },
])('sign-in config: throws when the environment is %j', (env) => {
  expect(() => readSignInConfig(env)).toThrow(ConfigError)
})
