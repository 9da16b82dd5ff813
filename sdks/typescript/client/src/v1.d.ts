// The messages and services of the contract, as they were generated.

export * from './gen/trailblaze/v1/commands_pb.js';
export * from './gen/trailblaze/v1/registry_pb.js';
