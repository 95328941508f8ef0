import { Type } from 'typebox'
import { PRESET_IDS, presetOf } from '../../../domains/providers/presets.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { inWorkspace } from '../kit/operation.ts'

const PresetView = Type.Object({
  id: Type.String(),
  object: Type.Literal('provider_preset'),
  title: Type.String(),
  hint: Type.String({ description: 'Where an operator gets a key, or what to enter.' }),
  base_url: Type.String({ description: 'The base URL of a provider that is created with this preset and without another one.' }),
  needs_key: Type.Boolean({ description: 'false: the server usually runs without API keys.' }),
})

const docs = inWorkspace(
  'GET /provider-presets',
  'listProviderPresets',
  'List the known servers with the OpenAI chat API, by id',
  { scope: 'providers:read', answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(PresetView) }) } },
)

export function presetsRoutes(app: TypedApp): void {
  handle(app, docs, async () => ({ object: 'list' as const, data: PRESET_IDS.map(presetView) }))
}

function presetView(id: (typeof PRESET_IDS)[number]) {
  const preset = presetOf(id)
  return viewOf(PresetView, preset, { id, needs_key: preset.needsKey ?? true })
}
