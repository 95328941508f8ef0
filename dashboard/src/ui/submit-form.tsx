import { Alert, Button, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ComponentProps, ReactNode } from 'react'
import { describeError } from './describe-error.ts'
import { Form } from './form.tsx'

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

/** Why a form was refused. Screen readers announce it. */
export const FormError = ({ children }: { readonly children: ReactNode }) => (
  <Alert color="red" variant="light" role="alert">
    {children}
  </Alert>
)

/** A column of fields with a submit button. */
export function SubmitForm({ onSubmit, submit, pending, error, children }: SubmitFormProps) {
  return (
    <Form onSubmit={onSubmit} pending={pending}>
      <Stack>
        {error ? <FormError>{describeError(error).message}</FormError> : null}
        {children}
        <Button type="submit" loading={pending}>
          {submit}
        </Button>
      </Stack>
    </Form>
  )
}
