import { ConnectionPools, type ConnectionPoolsOptions } from '../../src/domains/providers/connection-pools.ts'
import { NO_PRICES } from '../../src/domains/providers/prices.ts'
import { type NewProvider, type Provider, providerDefaults } from '../../src/domains/providers/provider.ts'

/** A provider with one model, as the store loads it. Its source is `config`, so that loopback addresses are allowed. */
export const testProvider = (change: Partial<Provider> = {}): Provider => ({
  ...providerDefaults('openai'),
  id: 'openai',
  workspaceId: 'ws_test',
  source: 'config',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKey: 'sk-test',
  models: [{ id: 'small', upstreamName: null, ...NO_PRICES, createdAt: new Date(0) }],
  ...change,
})

/** A declaration without a key, as the admin API gets it. */
export const declaredProvider = (change: Partial<NewProvider> = {}): NewProvider => ({
  ...providerDefaults('openai'),
  id: 'openai',
  baseUrl: 'https://api.example.com/v1',
  source: 'api',
  ...change,
})

export const testPools = (options: Partial<ConnectionPoolsOptions> = {}): ConnectionPools =>
  new ConnectionPools({ allowPrivateUrls: false, ...options })
