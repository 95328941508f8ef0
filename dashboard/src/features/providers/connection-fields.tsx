import { JsonInput, PasswordInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { Provider } from './provider.ts'
import type { Values } from './provider-values.ts'

interface ConnectionFieldsProps {
  readonly form: UseFormReturnType<Values>
  /** Undefined: a new one, whose service is chosen in the gallery. */
  readonly provider: Provider | undefined
}

/** Where requests go, and the key. */
export function ConnectionFields({ form, provider }: ConnectionFieldsProps) {
  const { t } = useTranslation('providers')
  const { kind } = form.getValues()
  if (kind === 'stub') return null
  const hint = t(`form.hints.baseUrl.${kind}`)
  return (
    <>
      {kind === 'openai' && provider && <PresetField form={form} />}
      <TextInput
        label={t('form.baseUrl')}
        description={provider?.api_key_from ? `${hint} ${t('form.keyAgain')}` : hint}
        required
        {...form.getInputProps('base_url')}
      />
      <KeyField form={form} provider={provider} />
    </>
  )
}

/** A known server: its base URL, and its names of parameters. */
function PresetField({ form }: Pick<ConnectionFieldsProps, 'form'>) {
  const { t } = useTranslation('providers')
  const presets = useRead('/admin/v1/provider-presets').data?.data ?? []
  const choose = (id: string) => {
    const preset = presets.find((candidate) => candidate.id === id)
    form.setValues({ preset: id as Values['preset'], ...(preset && { base_url: preset.base_url }) })
  }
  return (
    <Select
      label={t('form.preset')}
      description={t('form.presetHint')}
      data={[{ value: '', label: t('form.noPreset') }, ...presets.map(({ id, title }) => ({ value: id, label: title }))]}
      allowDeselect={false}
      {...form.getInputProps('preset')}
      onChange={(id) => choose(id ?? '')}
    />
  )
}

function KeyField({ form, provider }: ConnectionFieldsProps) {
  const { t } = useTranslation('providers')
  const { kind } = form.getValues()
  const hint = kind === 'azure-openai' || kind === 'bedrock' || kind === 'vertex' ? t(`form.hints.key.${kind}`) : undefined
  const stored = t(`form.hints.keyFrom.${provider?.api_key_from ?? 'none'}`, { name: provider?.api_key_env ?? '' })
  const props = {
    label: t('form.apiKey'),
    description: hint ? `${hint} ${stored}` : stored,
    autoComplete: 'off',
    ...form.getInputProps('api_key'),
  }
  return kind === 'vertex' ? <JsonInput minRows={2} maxRows={6} autosize {...props} /> : <PasswordInput {...props} />
}
