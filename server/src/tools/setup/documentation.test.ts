import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { PROVIDER_KINDS } from '../../domains/providers/kinds.ts'
import { readGatehouseFile } from './gatehouse-file.ts'
import { GatehouseYaml } from './gatehouse-schema.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const folder = temporaryFolder()
const CONFIGURATION = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
const documented = new Set([...CONFIGURATION.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.match(/[\w]+/g) ?? []))

test('docs/configuration.md: names every variable that config/ reads', () => {
  const folder = join(ROOT, 'server/src/platform/config')
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  const plain = [...text.matchAll(/\benv\.([A-Z_]+)|\(env, '([A-Z_]+)'/g)].map(([, dotted, quoted]) => dotted ?? quoted ?? '')
  const vendors = [...text.matchAll(/prefix: '([A-Z]+)'/g)].flatMap(([, prefix]) =>
    ['API_KEY', 'BASE_URL', 'MODELS'].map((name) => `${prefix}_${name}`),
  )
  expect(plain.length).toBeGreaterThan(15)
  expect([...plain, ...vendors].filter((name) => !documented.has(name))).toEqual([])
})

test('docs/configuration.md: names every field of gatehouse.yaml', () => {
  expect(fieldsOf(GatehouseYaml).filter((name) => !documented.has(name))).toEqual([])
})

test('examples/gatehouse.yaml: is valid', () => {
  const secrets: Record<string, string> = {
    GATEHOUSE_ADMIN_TOKEN: `ga_${'a'.repeat(43)}`,
    HELPDESK_KEY: `gk_${'b'.repeat(43)}`,
  }
  const { declaration } = readGatehouseFile(join(ROOT, 'examples/gatehouse.yaml'), (name) => secrets[name])
  expect(declaration.workspaces[0]?.providers.map(({ id }) => id)).toEqual(['openai', 'anthropic', 'azure', 'local'])
})

test('docs/guides/providers.md: the providers are valid, one of each kind', () => {
  const readme = readFileSync(join(ROOT, 'docs/guides/providers.md'), 'utf8')
  const [, yaml = ''] = /```yaml\n(providers:[\s\S]*?)```/.exec(readme) ?? []
  const path = join(folder, 'gatehouse.yaml')
  writeFileSync(path, `workspaces:\n  - name: acme\n${yaml.replaceAll(/^/gm, '    ')}`)
  const { declaration } = readGatehouseFile(path, () => undefined)
  const { providers = [] } = declaration.workspaces[0] ?? {}
  expect(new Set(providers.map(({ kind }) => kind))).toEqual(new Set(PROVIDER_KINDS.filter((kind) => kind !== 'stub')))
})

/** Names of all properties in a JSON Schema at any depth. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...new Set([...Object.keys(properties), ...Object.values(schema).flatMap(fieldsOf)])].filter((name) => name !== '')
}
