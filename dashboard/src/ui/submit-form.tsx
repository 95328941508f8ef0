import { Alert, Button, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ComponentProps, ReactNode } from 'react'
import { describeError } from './describe-error.ts'

/** Props of a form whose owner sends the request. */
export interface FormProps<Values> {
  readonly form: UseFormReturnType<Values>
  readonly onSubmit: (values: Values) => void
  /** Label of the button. */
  readonly submit: string
  readonly pending: boolean
}

interface SubmitFormProps extends Pick<ComponentProps<'form'>, 'onSubmit'> {
  /** Label of the button. */
  readonly submit: string
  readonly pending: boolean
  /** Shown above the fields. */
  readonly error?: unknown
  readonly children: ReactNode
}

/** A column of fields with a submit button. */
export function SubmitForm({ onSubmit, submit, pending, error, children }: SubmitFormProps) {
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {error ? (
          <Alert color="red" variant="light" role="alert">
            {describeError(error).message}
          </Alert>
        ) : null}
        {children}
        <Button type="submit" loading={pending}>
          {submit}
        </Button>
      </Stack>
    </form>
  )
}
