/** A JSON Schema as far as types are inferred from it; other keywords are allowed and ignored. */
export interface JsonSchema {
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

export type JsonTypeName = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

/** A schema object of zod 4, Valibot, ArkType and others, see standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...rest: any[]) => unknown;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The type of the values that a JSON Schema, written as a literal, accepts. */
export type FromSchema<S> = S extends { readonly const: infer Value }
  ? Mutable<Value>
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Choice)[] } | { readonly oneOf: readonly (infer Choice)[] }
      ? Each<Choice>
      : S extends { readonly type: infer Type }
        ? Type extends readonly (infer Choice)[]
          ? ByType<Choice, S>
          : ByType<Type, S>
        : S extends { readonly properties: object }
          ? FromObject<S>
          : unknown;

/** The arguments of a handler, from the `input` of its tool. */
export type ArgumentsOf<Input> = Input extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Input extends { readonly properties: object }
    ? FromObject<Input>
    : { [name: string]: unknown };

type Each<Choice> = Choice extends unknown ? FromSchema<Choice> : never;

type ByType<Type, S> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Item }
            ? FromSchema<Item>[]
            : unknown[]
          : Type extends 'object'
            ? FromObject<S>
            : unknown;

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties & RequiredOf<S>]: FromSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, RequiredOf<S>>]?: FromSchema<Properties[Key]>;
      }
    >
  : S extends { readonly additionalProperties: infer Values }
    ? { [name: string]: Values extends JsonSchema ? FromSchema<Values> : unknown }
    : { [name: string]: unknown };

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;
type Flat<T> = { [Key in keyof T]: T[Key] };
type Mutable<T> = T extends object ? { -readonly [Key in keyof T]: Mutable<T[Key]> } : T;
