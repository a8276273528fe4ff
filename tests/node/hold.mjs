// A client on the official TypeScript SDK: claims a file, prints the answer, and holds it until its input ends.
// node hold.mjs http://127.0.0.1:7464/mcp src/a.py
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, target] = process.argv.slice(2);
const client = new Client({ name: "holder", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const answer = await client.callTool({ name: "ctx_agent", arguments: { action: "claim", targets: [target] } });
console.log(JSON.stringify(answer.structuredContent));
process.stdin.resume();
process.stdin.on("end", () => client.close()); // which asks for no end of the session: the connection is all that ends
