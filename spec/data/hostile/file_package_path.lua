-- Sends require to another folder.
package.path = "/tmp/?.lua" return require "hostile"
