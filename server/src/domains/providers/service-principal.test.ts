import { expect, test } from 'vitest'
import { parseServicePrincipal } from './credentials.ts'

const FIELDS = { appId: 'app', password: 'p~w', tenant: 'acme.example.com', displayName: 'gatehouse' }

test('service principal: token endpoint and scope are those of the public cloud unless it names others', async () => {
  const principal = parseServicePrincipal(JSON.stringify(FIELDS))
  expect(principal?.tokenUri).toBe('https://login.microsoftonline.com/acme.example.com/oauth2/v2.0/token')
  expect(await principal?.form(0)).toEqual({
    grant_type: 'client_credentials',
    client_id: 'app',
    client_secret: 'p~w',
    scope: 'https://cognitiveservices.azure.com/.default',
  })
  const others = { token_uri: 'https://login.example.us/token', scope: 'https://cognitiveservices.azure.us/.default' }
  expect(parseServicePrincipal(JSON.stringify({ ...FIELDS, ...others }))).toMatchObject({
    tokenUri: others.token_uri,
    account: { scope: others.scope },
  })
})

test.each([
  ['a key of a resource', '0123456789abcdef0123456789abcdef'],
  ['no JSON', '{appId'],
  ['without a password', JSON.stringify({ ...FIELDS, password: undefined })],
  ['of a tenant that would change the path', JSON.stringify({ ...FIELDS, tenant: '../common' })],
  ['with a token endpoint that is no URL', JSON.stringify({ ...FIELDS, token_uri: 'token' })],
])('service principal: is not read from a text that is %s', (_, text) => {
  expect(parseServicePrincipal(text)).toBeUndefined()
})
