import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { ConfigError } from './environment.ts'
import { EXAMPLES, KNOWN_VARIABLES, refuseUnknownVariables } from './known-variables.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const CONFIGURATION = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')
const NAME = /GATEHOUSE_[A-Z0-9_]*[A-Z0-9]\b/g

const folder = temporaryFolder()
writeFileSync(join(folder, 'gatehouse.yaml'), 'admin_tokens: [{ name: ops, from_env: GATEHOUSE_OPS_TOKEN }]\n')
const refuse = (env: Record<string, string>) => () => refuseUnknownVariables(env, join(folder, 'none.yaml'))

test.each([
  ['GATEHOUSE_SECRT_KEY', 'GATEHOUSE_SECRET_KEY'],
  ['GATEHOUSE_PUBLIC_URI', 'GATEHOUSE_PUBLIC_URL'],
  ['GATEHOUSE_MAX_BODY_BYTE', 'GATEHOUSE_MAX_BODY_BYTES'],
  ['GATEHOUSE_ALLOW_PRIVATE_URL', 'GATEHOUSE_ALLOW_PRIVATE_URLS'],
  ['GATEHOUSE_DATABASE_URL', 'DATABASE_URL'],
  ['GATEHOUSE_PORT', 'PORT'],
  ['gatehouse_metrics_token', 'GATEHOUSE_METRICS_TOKEN'],
  ['Gatehouse_Demo', 'GATEHOUSE_DEMO'],
  ['GATEHOUSE__DEMO', 'GATEHOUSE_DEMO'],
])('unknown variables: the error suggests the nearest name when the name is %s [ADM-ENV-9]', (name, near) => {
  expect(refuse({ [name]: '1' })).toThrow(ConfigError)
  expect(refuse({ [name]: '1' })).toThrow(`Unknown variable ${name}. Did you mean ${near}?`)
  expect(() => readConfig({ [name]: '1' })).toThrow(ConfigError)
})

test('unknown variables: each is named, by its name and not by its value, when there are several', () => {
  const message =
    /^Unknown variable GATEHOUSE_DEMOS\. Did you mean GATEHOUSE_DEMO\?\nUnknown variable GATEHOUSE_ZZZZZZZZZZZZ\. docs/
  expect(refuse({ GATEHOUSE_DEMOS: 'hush', GATEHOUSE_ZZZZZZZZZZZZ: 'hush' })).toThrow(message)
  expect(refuse({ GATEHOUSE_DEMOS: 'hush' })).not.toThrow(/hush/)
})

test('unknown variables: accepts a variable when it is empty or the configuration file names it', () => {
  const env = { GATEHOUSE_OPS_TOKEN: 'ga_x', GATEHOUSE_CONFIG: join(folder, 'gatehouse.yaml'), GATEHOUSE_DEMOO: '' }
  expect(() => readConfig(env)).not.toThrow()
  expect(refuse({ GATEHOUSE_OPS_TOKEN: 'ga_x' })).toThrow(ConfigError)
})

test('unknown variables: accepts the variables of Kubernetes when a service is named gatehouse', () => {
  const address = 'tcp://10.0.0.1:8787'
  const links = {
    GATEHOUSE_SERVICE_HOST: '10.0.0.1',
    GATEHOUSE_SERVICE_PORT: '8787',
    GATEHOUSE_SERVICE_PORT_HTTP: '8787',
    GATEHOUSE_PORT: address,
    GATEHOUSE_PORT_8787_TCP: address,
    GATEHOUSE_PORT_8787_TCP_ADDR: '10.0.0.1',
    GATEHOUSE_WEB_SERVICE_HOST: '10.0.0.2',
    GATEHOUSE_WEB_PORT: address,
  }
  expect(refuse(links)).not.toThrow()
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPONT', 'http://collector:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ['OTEL_EXPORTER_OTLP_TRACE_ENDPOINT', 'http://collector:4318', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  ['OTEL_SERVICENAME', 'gatehouse', 'OTEL_SERVICE_NAME'],
  ['DATABSE_URL', 'postgres://db/gatehouse', 'DATABASE_URL'],
  ['DATABASE_URI', 'postgresql://db/gatehouse', 'DATABASE_URL'],
])('misspelt variables: the error suggests the nearest name when the name is %s [ADM-ENV-14]', (name, value, near) => {
  expect(refuse({ [name]: value })).toThrow(`Unknown variable ${name}. Did you mean ${near}?`)
})

test.each([
  ['OTEL_LOGS_EXPORTER', 'otlp'],
  ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'http://collector:4318'],
  ['OTEL_NODE_RESOURCE_DETECTORS', 'env'],
  ['OTEL_PYTHON_LOG_LEVEL', 'info'],
  ['OTEL_COLLECTOR_SERVICE_HOST', '10.0.0.1'],
  ['DATABASE_URI', 'mysql://db/other'],
  ['POSTGRES_URL', 'postgres://db/other'],
  ['DATABASE_URLS', ''],
])('misspelt variables: accepts %s=%s, which another program may read [ADM-ENV-14]', (name, value) => {
  expect(refuse({ [name]: value })).not.toThrow()
})

test('misspelt variables: accepts a similar name when DATABASE_URL is set', () => {
  expect(refuse({ DATABASE_URI: 'postgres://db/other', DATABASE_URL: 'postgres://db/gatehouse' })).not.toThrow()
})

test('known variables: the list, the source and the documents name the same variables', () => {
  const paths = globSync(join(ROOT, 'server/src/**/*.ts')).filter((path) => !/(?:\.test|known-variables)\.ts$/.test(path))
  const source = paths.map((path) => readFileSync(path, 'utf8')).join('\n')
  // Prefixes of names are no variables.
  const prefixes = new Set([...source.matchAll(/PREFIX = '(GATEHOUSE_\w+)'/g)].map(([, prefix]) => prefix))
  const read = new Set(source.match(NAME)?.filter((name) => !prefixes.has(name) && !EXAMPLES.includes(name)))
  // The documents show a misspelt name as an example.
  const documented = new Set(CONFIGURATION.match(NAME)?.filter((name) => name !== 'GATEHOUSE_SECRT_KEY'))
  expect(read.size).toBeGreaterThan(30)
  expect([...read, ...documented].filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([])
  expect(KNOWN_VARIABLES.filter((name) => !documented.has(name))).toEqual([])
})
