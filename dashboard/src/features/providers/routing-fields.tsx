import { NumberInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { classificationChoices } from '../../ui/classification.tsx'
import { SEPARATORS } from '../../ui/format-numbers.ts'
import type { Values } from './provider-values.ts'

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
}

/** Services of clouds need a region for their address. */
const requiresRegion = (kind: Values['kind']) => kind === 'bedrock' || kind === 'vertex'

/** Requests that the provider gets. */
export function RoutingFields({ form }: FieldsProps) {
  const { t } = useTranslation('providers')
  const { kind } = form.getValues()
  return (
    <>
      <TextInput
        label={t('form.region')}
        description={t(`form.hints.region.${requiresRegion(kind) ? kind : 'other'}`)}
        placeholder={t('form.notSet')}
        required={requiresRegion(kind)}
        {...form.getInputProps('region')}
      />
      <Select
        label={t('form.maxClassification')}
        description={t('form.maxClassificationHint')}
        data={classificationChoices()}
        allowDeselect={false}
        {...form.getInputProps('max_classification')}
      />
      <NumberInput
        label={t('form.weight')}
        description={t('form.weightHint')}
        min={0}
        required
        {...form.getInputProps('weight')}
      />
    </>
  )
}

/** Path, and limits of an attempt. Their defaults suit most providers. */
export function AdvancedFields({ form }: FieldsProps) {
  const { t } = useTranslation('providers')
  const { kind } = form.getValues()
  const hasOwnPath = kind === 'azure-openai' || kind === 'bedrock' || kind === 'vertex'
  return (
    <>
      {kind !== 'stub' && (
        <TextInput
          label={t('form.path')}
          description={t(`form.hints.path.${hasOwnPath ? kind : 'other'}`)}
          required
          {...form.getInputProps('path')}
        />
      )}
      <NumberInput
        label={t('form.timeout')}
        description={t('form.timeoutHint')}
        min={100}
        {...SEPARATORS}
        required
        {...form.getInputProps('timeout_ms')}
      />
      <NumberInput
        label={t('form.idleTimeout')}
        description={t('form.idleTimeoutHint')}
        placeholder={t('form.serverDefault')}
        min={100}
        {...SEPARATORS}
        {...form.getInputProps('idle_timeout_ms')}
      />
      <NumberInput
        label={t('form.retries')}
        description={t('form.retriesHint')}
        min={0}
        max={5}
        required
        {...form.getInputProps('max_retries')}
      />
      <NumberInput
        label={t('form.concurrency')}
        description={t('form.concurrencyHint')}
        min={1}
        required
        {...form.getInputProps('max_concurrency')}
      />
    </>
  )
}
