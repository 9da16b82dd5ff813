/** The class of the same name in the official SDK, over the Trailblaze engine. */
export declare class StdioServerTransport {
  onmessage?: (message: any) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}
