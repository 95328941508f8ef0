import { type ScriptedProvider, startScriptedProvider } from '../../../server/test/support/scripted-provider.ts'
import { type Dashboard, startDashboard } from './dashboard.ts'

/** A dashboard whose server calls a scripted provider (`gpt-demo`). */
export interface ScriptedDashboard {
  readonly upstream: ScriptedProvider
  readonly dashboard: Dashboard
  close(): Promise<void>
}

export async function startScriptedDashboard(): Promise<ScriptedDashboard> {
  const upstream = await startScriptedProvider()
  const dashboard = await startDashboard({
    OPENAI_API_KEY: 'sk-scripted',
    OPENAI_BASE_URL: upstream.url,
    OPENAI_MODELS: 'gpt-demo',
  })
  return {
    upstream,
    dashboard,
    async close() {
      await dashboard.close()
      await upstream.close()
    },
  }
}
