import { Button, Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { HeadersField } from './headers-field.tsx'
import { type Values, valuesOfKind } from './provider-values.ts'

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
}

interface ProviderFormProps extends FieldsProps {
  /** Source of the stored key; null: no key is stored. */
  readonly keyFrom?: string | null
  readonly isNew: boolean
  readonly readOnly?: boolean
  readonly pending: boolean
  readonly onSubmit: (values: Values) => void
}

export function ProviderForm({ form, keyFrom, isNew, readOnly = false, pending, onSubmit }: ProviderFormProps) {
  const { kind } = form.getValues()
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Fieldset variant="unstyled" disabled={readOnly} aria-label="Provider">
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {isNew && <IdentityFields form={form} />}
            {kind !== 'stub' && <ConnectionFields form={form} keyFrom={keyFrom} />}
            <RoutingFields form={form} />
            <AttemptFields form={form} />
          </SimpleGrid>
          {kind !== 'stub' && <HeadersField form={form} />}
          <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
          {!readOnly && (
            <Button type="submit" loading={pending} disabled={!(isNew || form.isDirty())}>
              {isNew ? 'Add' : 'Save'}
            </Button>
          )}
        </Stack>
      </Fieldset>
    </form>
  )
}

function IdentityFields({ form }: FieldsProps) {
  return (
    <>
      <TextInput
        label="ID"
        description="Lowercase letters, digits, - and _. Shown as the owner of its models"
        required
        data-autofocus
        {...form.getInputProps('id')}
      />
      <Select
        label="Type"
        description="A stub generates completions without a model, for tests"
        data={[
          { value: 'openai', label: 'OpenAI chat API, or compatible' },
          { value: 'anthropic', label: 'Anthropic Messages API' },
          { value: 'azure-openai', label: 'Azure OpenAI' },
          { value: 'bedrock', label: 'Amazon Bedrock' },
          { value: 'gemini', label: 'Google Gemini' },
          { value: 'vertex', label: 'Google Vertex AI' },
          { value: 'stub', label: 'Stub' },
        ]}
        allowDeselect={false}
        {...form.getInputProps('kind')}
        onChange={(kind) => kind && form.setValues(valuesOfKind(kind))}
      />
    </>
  )
}

const REGION_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  bedrock: 'Region of AWS, such as eu-central-1',
  vertex: 'Location of Google Cloud, such as europe-west1',
}

function RoutingFields({ form }: FieldsProps) {
  const { kind } = form.getValues()
  return (
    <>
      <TextInput
        label="Region"
        description={REGION_HINTS[kind] ?? 'For directives of policies'}
        placeholder="Not set"
        required={kind in REGION_HINTS}
        {...form.getInputProps('region')}
      />
      <Select
        label="Maximum classification"
        description="More sensitive content goes to other providers"
        data={CLASSIFICATIONS}
        allowDeselect={false}
        {...form.getInputProps('max_classification')}
      />
      <NumberInput
        label="Weight"
        description="Share of requests. 0: used only if no other provider is available"
        min={0}
        required
        {...form.getInputProps('weight')}
      />
    </>
  )
}

function AttemptFields({ form }: FieldsProps) {
  return (
    <>
      <NumberInput label="Attempt timeout (ms)" min={1} required {...form.getInputProps('timeout_ms')} />
      <NumberInput
        label="Idle timeout (ms)"
        description="Maximum time between bytes or events. Empty: the server's default"
        min={100}
        {...form.getInputProps('idle_timeout_ms')}
      />
      <Switch
        label="Stream responses"
        description="Turn it off if the server refuses streams"
        {...form.getInputProps('stream', { type: 'checkbox' })}
      />
      <NumberInput label="Retries" min={0} required {...form.getInputProps('max_retries')} />
      <NumberInput label="Concurrent requests" min={1} required {...form.getInputProps('max_concurrency')} />
    </>
  )
}
