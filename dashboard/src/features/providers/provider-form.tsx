import { Button, Fieldset, NumberInput, PasswordInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
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
          { value: 'openai', label: 'OpenAI chat API' },
          { value: 'anthropic', label: 'Anthropic Messages API' },
          { value: 'azure-openai', label: 'Azure OpenAI' },
          { value: 'stub', label: 'Stub' },
        ]}
        allowDeselect={false}
        {...form.getInputProps('kind')}
        onChange={(kind) => kind && form.setValues(valuesOfKind(kind))}
      />
    </>
  )
}

const BASE_URL_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  openai: 'Up to the version, such as …/v1. A change of the origin requires the key again',
  anthropic: 'Without the version. A change of the origin requires the key again',
  'azure-openai': 'Of the resource, without a path. A change of the origin requires the key again',
}

function ConnectionFields({ form, keyFrom }: FieldsProps & { readonly keyFrom: string | null | undefined }) {
  return (
    <>
      <TextInput
        label="Base URL"
        description={BASE_URL_HINTS[form.getValues().kind]}
        type="url"
        required
        {...form.getInputProps('base_url')}
      />
      <PasswordInput
        label="API key"
        description={keyFrom ? `Stored (${keyFrom}). Leave empty to keep it` : 'Stored encrypted and never shown again'}
        autoComplete="off"
        {...form.getInputProps('api_key')}
      />
      <TextInput label="Path of chat requests" required {...form.getInputProps('path')} />
    </>
  )
}

function RoutingFields({ form }: FieldsProps) {
  return (
    <>
      <TextInput label="Region" placeholder="Not set" {...form.getInputProps('region')} />
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
