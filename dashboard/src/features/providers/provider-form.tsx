import { Button, Fieldset, NumberInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { HeadersField } from './headers-field.tsx'
import { KIND_LABELS, type Provider } from './provider.ts'
import { type Values, valuesOfKind } from './provider-values.ts'

interface FieldsProps {
  readonly form: UseFormReturnType<Values>
}

interface ProviderFormProps extends FieldsProps {
  /** Source of the key; null: there is none. */
  readonly keyFrom?: Provider['api_key_from']
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
          {kind !== 'stub' && <HeadersField form={form} readOnly={readOnly} />}
          {kind !== 'stub' && (
            <Switch
              label="Request streams"
              description="Turn it off if the server refuses streams"
              {...form.getInputProps('stream', { type: 'checkbox' })}
            />
          )}
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
        data={Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label }))}
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
      <NumberInput
        label="Attempt timeout (ms)"
        description="Maximum duration of one attempt"
        min={100}
        thousandSeparator=" "
        required
        {...form.getInputProps('timeout_ms')}
      />
      <NumberInput
        label="Idle timeout (ms)"
        description="Maximum time without a byte or event"
        placeholder="Default of the server"
        min={100}
        thousandSeparator=" "
        {...form.getInputProps('idle_timeout_ms')}
      />
      <NumberInput
        label="Retries"
        description="Additional attempts at this provider"
        min={0}
        max={5}
        required
        {...form.getInputProps('max_retries')}
      />
      <NumberInput
        label="Concurrent requests"
        description="Maximum for each node"
        min={1}
        required
        {...form.getInputProps('max_concurrency')}
      />
    </>
  )
}
