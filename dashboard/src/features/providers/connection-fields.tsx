import { JsonInput, PasswordInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useRead } from '../../api/queries.ts'
import type { Provider } from './provider.ts'
import type { Values } from './provider-values.ts'

type KeySource = NonNullable<Provider['api_key_from']>

interface ConnectionFieldsProps {
  readonly form: UseFormReturnType<Values>
  /** Source of the key; null: there is none. */
  readonly keyFrom: KeySource | null | undefined
}

const KEY_AGAIN = 'A change of the origin requires the key again'
const BASE_URL_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  openai: 'Up to the version, such as …/v1',
  anthropic: 'Without the version',
  'azure-openai': 'Of the resource, without a path',
  bedrock: '{region} stands for the region',
  vertex: '{region} stands for the region',
}
const PATH_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  'azure-openai': 'Below the base URL. {deployment} stands for the upstream name of the model',
  bedrock: 'Below the base URL, for models of vendors other than Anthropic',
  vertex: 'Below the base URL. {project} stands for the project of the key',
}

/** Where requests go, and the key. */
export function ConnectionFields({ form, keyFrom }: ConnectionFieldsProps) {
  const { kind } = form.getValues()
  const urlHints = [BASE_URL_HINTS[kind], keyFrom && KEY_AGAIN].filter(Boolean)
  return (
    <>
      {kind === 'openai' && <PresetField form={form} />}
      <TextInput label="Base URL" description={urlHints.join('. ')} required {...form.getInputProps('base_url')} />
      <KeyField form={form} keyFrom={keyFrom} />
      <TextInput
        label="Path of chat requests"
        description={PATH_HINTS[kind] ?? 'Below the base URL'}
        required
        {...form.getInputProps('path')}
      />
    </>
  )
}

/** A known server: its base URL, and its names of parameters. */
function PresetField({ form }: { readonly form: UseFormReturnType<Values> }) {
  const presets = useRead('/admin/v1/provider-presets').data?.data ?? []
  const choose = (id: string) => {
    const preset = presets.find((candidate) => candidate.id === id)
    form.setValues({ preset: id as Values['preset'], ...(preset && { base_url: preset.base_url }) })
  }
  return (
    <Select
      label="Server"
      description="Sets the base URL and the names of parameters"
      data={[{ value: '', label: 'Other' }, ...presets.map(({ id, title }) => ({ value: id, label: title }))]}
      allowDeselect={false}
      {...form.getInputProps('preset')}
      onChange={(id) => choose(id ?? '')}
    />
  )
}

const KEY_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  'azure-openai': 'Key of the resource, or JSON text of a service principal (appId, password, tenant).',
  bedrock: 'Bedrock API key, or access key id:secret access key[:session token].',
  vertex: 'JSON text of the key file of a service account.',
}

const STORED_HINTS: Readonly<Record<KeySource | 'none', string>> = {
  none: 'Stored encrypted and never shown again',
  stored: 'A key is stored. Leave empty to keep it',
  environment: 'The key is in an environment variable. Leave empty to keep it',
}

function KeyField({ form, keyFrom }: ConnectionFieldsProps) {
  const { kind } = form.getValues()
  const stored = STORED_HINTS[keyFrom ?? 'none']
  const props = {
    label: 'API key',
    description: [KEY_HINTS[kind], stored].filter(Boolean).join(' '),
    autoComplete: 'off',
    ...form.getInputProps('api_key'),
  }
  return kind === 'vertex' ? <JsonInput minRows={2} maxRows={6} autosize {...props} /> : <PasswordInput {...props} />
}
