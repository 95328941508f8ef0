import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import { type GatehouseFile, readGatehouseFile } from './gatehouse-file.ts'

const KEY = `gk_${'a'.repeat(43)}`
const ENVIRONMENT: Record<string, string> = {
  SUPPORT_KEY: KEY,
  OPS_TOKEN: `ga_${'b'.repeat(43)}`,
  SHORT_KEY: 'gk_short',
}

const folder = temporaryFolder()
writeFileSync(
  join(folder, 'policy.yaml'),
  'name: acme\nrules:\n  - {id: a, description: b, at: [input], when: "true", verdict: allow}\n',
)
writeFileSync(
  join(folder, 'broken-policy.yaml'),
  'name: acme\nrules:\n  - {id: a, description: b, at: [input], when: "nope(", verdict: allow}\n',
)
writeFileSync(
  join(folder, 'keys.json'),
  '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"1"}]}',
)
writeFileSync(join(folder, 'private.json'), '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"a","d":"b"}]}')
writeFileSync(join(folder, 'no.json'), 'keys')

const read = (yaml: string): GatehouseFile => {
  const path = join(folder, 'gatehouse.yaml')
  writeFileSync(path, yaml)
  return readGatehouseFile(path, (name) => ENVIRONMENT[name])
}

/** The problems of a file, a line each, without its folder. */
const problemsOf = (yaml: string): string[] => {
  try {
    read(yaml)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${folder}/`, '').split('\n')
    throw error
  }
  return []
}

const COMPLETE = `
admin_tokens:
  - { name: ops, from_env: OPS_TOKEN }
workspaces:
  - name: acme
    settings:
      jwks: { file: keys.json }
      issuer: https://id.acme.example
      audience: [gatehouse]
      claims: { id: uid }
      audit_retention_days: 90
    applications:
      - name: support
        settings: { extensions: [tools], knowledge: { enabled: true } }
        limits: { requests_per_minute: 60 }
        models: [gpt-4o*]
        providers: [openai]
        default_model: gpt-4o-mini
        ceiling: confidential
        keys:
          - { name: production, from_env: SUPPORT_KEY }
    users:
      - { id: u1, username: ada, role: agent, department: support, attributes: { clearance: internal } }
    providers:
      - id: openai
        base_url: https://api.openai.com/v1/
        api_key_env: OPENAI_API_KEY
        timeout_ms: 30000
        models:
          - { id: gpt-4o-mini, input_price: 0.15, output_price: 0.6 }
          - { id: large, upstream_name: gpt-4o, api: responses, cache_read_price: 0.3, cache_write_price: null, cache_write_1h_price: 6 }
      - { id: local, base_url: "http://10.0.0.5:8000/v1", region: eu, headers: { api-key: "{api_key}" } }
      - { id: stub, kind: stub }
    policy: { file: policy.yaml }
`

test('gatehouse.yaml: becomes a declaration with the contents of its files and the keys of the environment', () => {
  const { declaration } = read(COMPLETE)
  expect(declaration.adminTokens).toEqual([{ name: 'ops', secret: ENVIRONMENT.OPS_TOKEN }])
  const [workspace] = declaration.workspaces
  expect(workspace?.settings).toMatchObject({ jwks: { keys: [{ kid: '1' }] }, audience: ['gatehouse'], claims: { id: 'uid' } })
  expect(workspace?.applications[0]?.keys).toEqual([{ name: 'production', secret: KEY }])
  expect(workspace?.providers).toEqual([
    {
      id: 'openai',
      kind: 'openai',
      fields: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY', timeoutMs: 30_000 },
      models: [
        { id: 'gpt-4o-mini', inputPrice: 0.15, outputPrice: 0.6 },
        {
          id: 'large',
          upstreamName: 'gpt-4o',
          api: 'responses',
          cacheReadPrice: 0.3,
          cacheWritePrice: null,
          cacheWrite1hPrice: 6,
        },
      ],
    },
    {
      id: 'local',
      kind: 'openai',
      fields: { baseUrl: 'http://10.0.0.5:8000/v1', region: 'eu', headers: { 'api-key': '{api_key}' } },
      models: [],
    },
    { id: 'stub', kind: 'stub', fields: {}, models: [] },
  ])
  expect(workspace?.policy).toContain('name: acme')
})

test('gatehouse.yaml: declares nothing when it is empty', () => {
  expect(read('').declaration).toEqual({ adminTokens: [], workspaces: [] })
  expect(read('# nothing yet\n').declaration).toEqual({ adminTokens: [], workspaces: [] })
})

const within = (lines: string) => `workspaces:\n  - name: acme\n${lines}`
const application = (fields: string) => within(`    applications:\n      - name: support\n        ${fields}\n`)
const jwks = (source: string) => within(`    settings:\n      jwks: ${source}\n`)
const provider = (fields: string) => within(`    providers:\n      - id: p\n        ${fields}\n`)

/** The problem of a Workspace's field. One that ends with … may be longer. */
const at = (line: number, problem: string) => `gatehouse.yaml:${line}: workspaces[0].${problem}`
const X = 'base_url: https://x.example\n        '
const key = (fields: string) => application(`keys:\n          - { name: a, ${fields} }`)

test.each([
  ['an unknown field at the top', 'workspace: []\n', 'gatehouse.yaml:1: workspace is not a known field'],
  [
    'an unknown field deep inside',
    application('limits: {\n          burst: 5,\n          burts: 5 }'),
    at(7, 'applications[0].limits.burts is not a known field'),
  ],
  [
    'an unknown setting of a Workspace',
    within('    settings:\n      issuer: x\n      audiense: y\n'),
    at(5, 'settings.audiense is not a known field'),
  ],
  ['an unknown field of a provider', provider('url: http://x'), at(5, 'providers[0].url is not a known field')],
  [
    'a field of the wrong type',
    application('limits: { burst: many }'),
    at(5, 'applications[0].limits.burst must be either integer or null'),
  ],
  ['a text instead of a list', within('    users: alice\n'), at(3, 'users must be array')],
  ['a value that is not allowed', application('ceiling: secret'), at(5, 'applications[0].ceiling must be one of "public", …')],
  ['a missing name', 'workspaces:\n  - settings: {}\n', at(2, 'name is required')],
  ['a list instead of a map', '- a\n- b\n', 'gatehouse.yaml:1: the file must be object'],
  ['invalid YAML', 'workspaces:\n  - name: "acme\n', /^gatehouse\.yaml:\d: .*quote/],
  ['the same field twice', 'workspaces: []\nworkspaces: []\n', /^gatehouse\.yaml:2: .*unique/],
  ['an alias without an anchor', 'workspaces: *missing\n', /^gatehouse\.yaml:1: .*missing/],
  ['a provider without an address', provider('kind: openai'), at(4, 'providers[0].base_url is required')],
  [
    'an address of instance metadata',
    provider('base_url: http://169.254.169.254/v1'),
    at(5, 'providers[0].base_url must not point at a link-local…'),
  ],
  [
    'a key in a header',
    provider(`${X}headers: { authorization: Bearer abc }`),
    at(6, 'providers[0].headers.authorization must contain {api_key}…'),
  ],
  ['a number out of its range', provider(`${X}timeout_ms: 1`), at(6, 'providers[0].timeout_ms must be from 100 to 3600000')],
  ['a model name with a star', provider(`${X}models: [{ id: gpt-* }]`), at(6, 'providers[0].models[0].id must be printable…')],
  [
    'a key whose variable is not set',
    key('from_env: MISSING_KEY'),
    at(6, 'applications[0].keys[0].from_env names MISSING_KEY, which is not set; create one with: echo "gk_…'),
  ],
  ['a key in an invalid format', key('from_env: SHORT_KEY'), /from_env names SHORT_KEY, which does not hold a usable value/],
  ['an admin token instead of a key', key('from_env: OPS_TOKEN'), /names OPS_TOKEN, which does not hold a usable value/],
  ['a key in the file itself', key(`key: ${KEY}`), /keys\[0\]\.key is not a known field|keys\[0\]\.from_env is required/],
  [
    'a duplicate Application name',
    within('    applications:\n      - name: a\n      - name: a\n'),
    at(5, 'applications[1].name must be unique: "a" is in an earlier entry'),
  ],
  [
    'a duplicate user name',
    within('    users:\n      - { id: a, username: x }\n      - { id: b, username: x }\n'),
    at(5, 'users[1].username must be unique: "x" is in an earlier entry'),
  ],
  [
    'a policy file that does not exist',
    within('    policy: { file: nowhere.yaml }\n'),
    at(3, 'policy.file names a file that does not exist: nowhere.yaml cannot be read (ENOENT)'),
  ],
  [
    'an invalid policy',
    within('    policy: { file: broken-policy.yaml }\n'),
    at(3, 'policy.file broken-policy.yaml:3: rules[0].when …'),
  ],
  ['a private key in a key set', jwks('{ file: private.json }'), at(4, 'settings.jwks.keys[0] must be a public key')],
  ['a key set that is not JSON', jwks('{ file: no.json }'), at(4, 'settings.jwks.file names no.json, which is not JSON')],
  ['a key set URL without TLS', jwks('{ url: "http://id.example.com/keys" }'), /settings\.jwks\.url must start with https/],
])('gatehouse.yaml: problem names file, line and field when there is %s', (_, yaml, expected) => {
  const [first = '', ...more] = problemsOf(yaml)
  if (expected instanceof RegExp) expect(first).toMatch(expected)
  else if (expected.endsWith('…')) expect(first.slice(0, expected.length - 1)).toBe(expected.slice(0, -1))
  else expect(first).toBe(expected)
  expect(more).toEqual([])
})

test('gatehouse.yaml: every problem is reported when there are several', () => {
  const yaml = within(
    '    applications:\n      - { name: a, keys: [{ name: k, from_env: MISSING }] }\n    providers:\n      - { id: p, base_url: nonsense }\n',
  )
  expect(problemsOf(yaml).map((line) => line.split(' ')[0])).toEqual(['gatehouse.yaml:4:', 'gatehouse.yaml:6:'])
})

test('gatehouse.yaml: reading fails when the file does not exist', () => {
  expect(() => readGatehouseFile(join(folder, 'none.yaml'), () => undefined)).toThrow(/none\.yaml cannot be read \(ENOENT\)/)
})

test('gatehouse.yaml: problem does not contain the value of a variable', () => {
  const problems = problemsOf(application('keys: [{ name: a, from_env: SHORT_KEY }]')).join('\n')
  expect(problems).not.toContain('gk_short')
})
