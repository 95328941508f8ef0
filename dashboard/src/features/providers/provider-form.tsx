import { Button, Fieldset, NumberInput, PasswordInput, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import type { Values } from './provider-values.ts'

interface ProviderFormProps {
  readonly form: UseFormReturnType<Values>
  /** It is there already: its id and kind stay. Tells where its key comes from. */
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
            {isNew && (
              <>
                <TextInput
                  label="Id"
                  description="Small letters, digits, - and _; shown as owner of its models"
                  required
                  data-autofocus
                  {...form.getInputProps('id')}
                />
                <Select
                  label="Kind"
                  description="A stub answers by itself, for trials"
                  data={[
                    { value: 'openai', label: 'OpenAI chat API' },
                    { value: 'stub', label: 'Stub' },
                  ]}
                  allowDeselect={false}
                  {...form.getInputProps('kind')}
                />
              </>
            )}
            {kind === 'openai' && <Connection form={form} keyFrom={keyFrom} />}
            <TextInput label="Region" placeholder="not said" {...form.getInputProps('region')} />
            <Select
              label="Sees at most"
              description="The most sensitive content it is given"
              data={CLASSIFICATIONS}
              allowDeselect={false}
              {...form.getInputProps('max_classification')}
            />
            <NumberInput
              label="Weight"
              description="Share among equals; 0: only when no other is left"
              min={0}
              required
              {...form.getInputProps('weight')}
            />
            <NumberInput label="Time of an attempt, ms" min={1} required {...form.getInputProps('timeout_ms')} />
            <NumberInput
              label="Time without a byte, ms"
              description="Empty: the server's setting"
              min={100}
              {...form.getInputProps('idle_timeout_ms')}
            />
            <NumberInput label="Further attempts" min={0} required {...form.getInputProps('max_retries')} />
            <NumberInput label="Calls at the same time" min={1} required {...form.getInputProps('max_concurrency')} />
          </SimpleGrid>
          <Switch label="It is asked" {...form.getInputProps('enabled', { type: 'checkbox' })} />
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

interface ConnectionProps {
  readonly form: UseFormReturnType<Values>
  readonly keyFrom: string | null | undefined
}

function Connection({ form, keyFrom }: ConnectionProps) {
  return (
    <>
      <TextInput
        label="Base URL"
        description="Up to the version, such as …/v1; another origin needs the key anew"
        type="url"
        required
        {...form.getInputProps('base_url')}
      />
      <PasswordInput
        label="API key"
        description={keyFrom ? `There is one (${keyFrom}); leave it empty to keep it` : 'Encrypted at rest, never shown again'}
        autoComplete="off"
        {...form.getInputProps('api_key')}
      />
      <TextInput label="Path of chat completions" required {...form.getInputProps('path')} />
    </>
  )
}
