import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Values } from './provider-values.ts'

interface HeadersFieldProps {
  readonly form: UseFormReturnType<Values>
  readonly readOnly: boolean
}

/** Headers that are sent with every request to the provider. */
export function HeadersField({ form, readOnly }: HeadersFieldProps) {
  const { headers } = form.getValues()
  return (
    <Fieldset legend="Headers">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Sent with every request. {'{api_key}'} stands for the key, which is then sent in no other header
        </Text>
        {form.errors.headers && (
          <Text size="sm" c="red" role="alert">
            {form.errors.headers}
          </Text>
        )}
        {headers.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity
          <Group key={index} align="flex-start" gap="xs">
            <TextInput
              aria-label={`Name of header ${index + 1}`}
              placeholder="Name"
              flex="1 1 10rem"
              {...form.getInputProps(`headers.${index}.name`)}
            />
            <TextInput
              aria-label={`Value of header ${index + 1}`}
              placeholder="Value"
              flex="2 1 12rem"
              {...form.getInputProps(`headers.${index}.value`)}
            />
            {!readOnly && (
              <Button
                variant="default"
                aria-label={`Remove header ${index + 1}`}
                onClick={() => form.removeListItem('headers', index)}
              >
                Remove
              </Button>
            )}
          </Group>
        ))}
        {!readOnly && (
          <Group>
            <Button variant="default" size="xs" onClick={() => form.insertListItem('headers', { name: '', value: '' })}>
              Add header
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}
